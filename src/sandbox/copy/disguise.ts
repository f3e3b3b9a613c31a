import { isObject } from '../../contract/values/json.ts';
import { loginInAddress } from '../../contract/values/text.ts';
import { isSecret } from '../../resources/env.ts';
import { isSecretSetting } from '../../resources/setting.ts';
import { randomBytes } from '../seed/made-up.ts';
import type { CopiedState, SettingState, VariableRecord } from '../state.ts';

/** Replaces the secrets by values of the same length and kind, `madeUp`. Equal values stay equal. */
export function disguise(state: CopiedState): { readonly state: CopiedState; readonly madeUp: Set<string> } {
  const secrets = new Set<string>();
  mapValues(state, (value, kind) => {
    // A generated word, such as the name of the stack, is no secret. Other values may be equal to it.
    const isSecretValue = kind === 'secret' || (kind === 'generated' && !isWord.test(value));
    if (isSecretValue && !isTrivial.test(value)) secrets.add(value);
    return value;
  });
  const replace = replacer(secrets);
  mapValues(state, replace.text);
  // A command or the result of a backup may name an address, too.
  return { state: mapTexts(state, replace.logins), madeUp: replace.madeUp };
}

function mapTexts<Value>(value: Value, map: (text: string, name: string) => string, name = ''): Value {
  const mapped = (): unknown => {
    if (typeof value === 'string') return map(value, name);
    if (Array.isArray(value)) return value.map((item) => mapTexts(item, map, name));
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapTexts(inner, map, key)]));
  };
  return mapped() as Value;
}

/** Truth values and empty text are no secrets. Replacing them would change other values that are equal. */
const isTrivial = /^(true|false|yes|no|on|off)?$/i;
const isWord = /^[a-z]+$/i;

/** `variable` is replaced if it equals a secret or holds a long one; `text` only if it holds a long one. */
type ValueKind = 'secret' | 'generated' | 'variable' | 'text';
type MapValue = (value: string, kind: ValueKind) => string;

function mapValues({ accounts, stacks }: CopiedState, map: MapValue): void {
  for (const { row, gateways } of accounts) {
    row.server_registration_script = mapText(row.server_registration_script, 'secret', map);
    for (const gateway of gateways) {
      // `n/a` marks a closed gateway; it is no key.
      if (!/^n\/?a$/i.test(gateway.content)) gateway.content = mapText(gateway.content, 'secret', map);
    }
  }
  for (const { row, variables, settings, servers, processes, deployments } of stacks) {
    row.redeploy_hook = mapText(row.redeploy_hook, 'secret', map);
    row.git = mapAddress(row.git, map);
    for (const { row: one } of deployments) one.commit_url = mapAddress(one.commit_url, map);
    for (const variable of variables) mapVariable(variable, map);
    for (const setting of [settings, ...servers.map((server) => server.settings)].flat()) mapSetting(setting, map);
    for (const one of processes) Object.assign(one, { command: mapText(one.command, 'text', map) });
  }
}

function mapText<Value>(value: Value, kind: ValueKind, map: MapValue): Value {
  // A service may leave a value out.
  return (typeof value === 'string' ? map(value, kind) : value) as Value;
}

function mapAddress(value: string, map: MapValue): string {
  // It may hold a password.
  return mapText(value, isSecret({ value, is_password: false }) ? 'secret' : 'text', map);
}

function mapVariable(variable: VariableRecord, map: MapValue): void {
  const plain = variable.is_generated ? 'generated' : 'variable';
  const kind = isSecret(variable) ? 'secret' : plain;
  variable.history = (variable.history ?? []).map((entry) => {
    const isAlone = isSecret({ ...variable, value: entry.value });
    return { ...entry, value: mapText(entry.value, isAlone ? 'secret' : kind, map) };
  });
  variable.value = mapText(variable.value, kind, map);
}

function mapSetting(setting: SettingState, map: MapValue): void {
  const { value } = setting;
  const kind = isSecretSetting(setting) ? 'secret' : 'text';
  if (typeof value === 'string') setting.value = map(value, kind);
  if (typeof value === 'number') setting.value = Number(map(String(value), kind));
}

/** A shorter secret is replaced only where it is the whole value. */
const shortest = 8;

function searcher(secrets: ReadonlySet<string>, replacement: (secret: string) => string) {
  const byStart = new Map<string, string[]>();
  for (const secret of [...secrets].toSorted((one, other) => other.length - one.length)) {
    if (secret.length < shortest) continue;
    const start = secret.slice(0, shortest);
    const others = byStart.get(start);
    if (others) others.push(secret);
    else byStart.set(start, [secret]);
  }
  return (text: string): string => {
    let replaced = '';
    for (let at = 0; at < text.length; ) {
      const found = byStart.get(text.slice(at, at + shortest))?.find((secret) => text.startsWith(secret, at));
      replaced += found === undefined ? text[at] : replacement(found);
      at += found?.length ?? 1;
    }
    return replaced;
  };
}

function replacer(secrets: ReadonlySet<string>) {
  const replaced = new Map<string, string>();
  const madeUp = new Set<string>();
  const replacement = (value: string): string => {
    let made = replaced.get(value);
    for (let tries = 0; made === undefined; tries += 1) {
      // If no value of this kind is free, letters are used, then more letters.
      const next = tries < 20 ? similarTo(value) : letters(value.length + Math.max(0, tries - 40));
      if (next !== value && !secrets.has(next) && !madeUp.has(next)) made = next;
    }
    replaced.set(value, made);
    madeUp.add(made);
    return made;
  };
  const withoutSecrets = searcher(secrets, replacement);
  const text: MapValue = (value, kind) => {
    const isWhole = kind === 'generated' ? !isTrivial.test(value) : kind !== 'text' && secrets.has(value);
    if (isWhole) return replacement(value);
    const mapped = withoutSecrets(value);
    if (mapped !== value) madeUp.add(mapped);
    return mapped;
  };
  const login = (value: string) => (madeUp.has(value.replace(/^[^:]*:/, '')) ? value : replacement(value));
  const logins = (value: string): string => {
    const mapped = value.replaceAll(new RegExp(loginInAddress, 'g'), login);
    if (mapped !== value) madeUp.add(mapped);
    return mapped;
  };
  return { text, logins, madeUp };
}

const address = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#]*@)?([^/?#]*)(.*)$/is;
const hexadecimal = /^[\da-f]+(-[\da-f]+)*$/i;

function similarTo(value: string): string {
  // An octet is at most 255.
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(value)) return redrawn(value).replaceAll(/\d(?=\d\d)/g, '1');
  const [, scheme, login = '', host = '', rest = ''] = address.exec(value) ?? [];
  // Digits of a host may be an IP address or a port.
  if (scheme !== undefined) return scheme + redrawn(login) + redrawn(host, /[a-z]/gi) + redrawn(rest);
  return redrawn(value);
}

function redrawn(value: string, replaced = /%[\da-f]{2}|[^\W_]|[\u0080-\uffff]/gi): string {
  const bytes = randomBytes(value.length);
  const isHex = hexadecimal.test(value) && /\d/.test(value);
  return value.replaceAll(replaced, (character, at: number) => {
    if (character.length > 1) return character;
    const among = kinds.find(([kind]) => kind.test(character))?.[isHex ? 2 : 1] ?? small;
    return among[(bytes[at] ?? 0) % among.length] ?? character;
  });
}

const small = 'abcdefghijklmnopqrstuvwxyz';
const kinds: readonly (readonly [kind: RegExp, among: string, hex: string])[] = [
  // A number does not begin with zero.
  [/\d/, '123456789', '0123456789'],
  [/[A-Z]/, small.toUpperCase(), 'ABCDEF'],
  [/[a-z]/, small, 'abcdef'],
];

function letters(length: number): string {
  return [...randomBytes(length)].map((byte) => small[byte % small.length]).join('');
}

/** Fields that name a person. */
const people = ['triggered_by', 'reverted_by', 'created_by', 'updated_by', 'owner'];
const emails = /(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g;
const addresses =
  /\b\d{1,3}(?:\.\d{1,3}){3}\b|(?<![\w:.])(?=[\da-f:]*\d)[\da-f]{0,4}(?::[\da-f]{0,4}){2,7}(?![\w:.])/gi;
/** Unspecified and loopback addresses identify no machine. */
const general = /^(0\.0\.0\.0|127\.|::1?$)/;

/** Replaces IP addresses, e-mail addresses and names of people in all texts, and adds the texts to `madeUp`. */
export function anonymize(state: CopiedState, madeUp: Set<string>): CopiedState {
  const replaced = new Map<string, string>();
  const once = (value: string, make: () => string): string => {
    const made = replaced.get(value) ?? make();
    replaced.set(value, made);
    return made;
  };
  const person = (text: string) => once(text, () => redrawn(text));
  const machine = (ip: string) =>
    once(ip, () => {
      const n = replaced.size + 1;
      return ip.includes(':') ? `fd00::${n.toString(16)}` : `198.${18 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}`;
    });
  const isTime = /^\d\d:\d\d:\d\d$/;
  return mapTexts(state, (value, name) => {
    const text = people.includes(name) ? person(value) : value.replaceAll(emails, person);
    const made = text.replaceAll(addresses, (ip) => (general.test(ip) || isTime.test(ip) ? ip : machine(ip)));
    if (made !== value) madeUp.add(made);
    return made;
  });
}
