import { loginInAddress } from '../../contract/values/text.ts';
import { randomBytes } from '../seed/made-up.ts';
import { type CopySource, copiedState, type MapValue } from './copied-state.ts';

interface Disguise {
  readonly now: Date;
  readonly anonymous: boolean;
}

/** A copy with values of the same length and kind, `madeUp`, in place of the secrets. Equal values stay equal. */
export function disguise(source: CopySource, { now, anonymous }: Disguise) {
  const secrets = new Set<string>();
  copiedState(source, now, (value, kind) => {
    // A generated word, such as the name of the stack, is no secret. Other values may be equal to it.
    const isSecretValue = kind === 'secret' || (kind === 'generated' && !/^[a-z]+$/i.test(value));
    if (isSecretValue && !isTrivial.test(value)) secrets.add(value);
    return value;
  });
  const madeUp = new Set<string>();
  const replaced = replacer(secrets, madeUp);
  const anonymized = anonymous ? anonymizer() : (value: string) => value;
  const state = copiedState(source, now, (value, kind, field) => {
    const made = anonymized(replaced(value, kind, field), field);
    if (made !== value) madeUp.add(made);
    return made;
  });
  return { state, madeUp };
}

/** Truth values and empty text are no secrets, and `n/a` marks a closed gateway. Other values may be equal to them. */
const isTrivial = /^(true|false|yes|no|on|off|n\/?a)?$/i;
/** A name holds no secret. */
const isName = /^[\w.-]*$/;

/** A shorter secret is replaced only where it is the whole value. */
const minSecretLength = 8;

function searcher(secrets: ReadonlySet<string>, replacement: (secret: string) => string) {
  const byStart = new Map<string, string[]>();
  for (const secret of [...secrets].toSorted((one, other) => other.length - one.length)) {
    if (secret.length < minSecretLength) continue;
    const start = secret.slice(0, minSecretLength);
    const others = byStart.get(start);
    if (others) others.push(secret);
    else byStart.set(start, [secret]);
  }
  return (text: string): string => {
    let replaced = '';
    for (let at = 0; at < text.length; ) {
      const found = byStart.get(text.slice(at, at + minSecretLength))?.find((secret) => text.startsWith(secret, at));
      replaced += found === undefined ? text[at] : replacement(found);
      at += found?.length ?? 1;
    }
    return replaced;
  };
}

function replacer(secrets: ReadonlySet<string>, madeUp: Set<string>): MapValue {
  const replaced = new Map<string, string>();
  const replacement = (value: string): string => {
    let made = replaced.get(value);
    for (let tries = 0; made === undefined; tries += 1) {
      // If no value of this kind is free, letters are used, then more letters.
      const next = tries < 20 ? similarTo(value) : redraw('x'.repeat(value.length + Math.max(0, tries - 40)));
      if (next !== value && !secrets.has(next) && !madeUp.has(next)) made = next;
    }
    replaced.set(value, made);
    madeUp.add(made);
    return made;
  };
  const withoutSecrets = searcher(secrets, replacement);
  const login = (value: string) => (madeUp.has(value.replace(/^[^:]*:/, '')) ? value : replacement(value));
  return (value, kind) => {
    const isWhole = kind === 'generated' ? !isTrivial.test(value) : kind !== 'text' && secrets.has(value);
    if (isWhole) return replacement(value);
    if (kind === 'text' && isName.test(value)) return value;
    return withoutSecrets(value).replaceAll(new RegExp(loginInAddress, 'g'), login);
  };
}

const address = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#]*@)?([^/?#]*)(.*)$/is;
const hexadecimal = /^[\da-f]+(-[\da-f]+)*$/i;

function similarTo(value: string): string {
  // An octet is at most 255.
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(value)) return redraw(value).replaceAll(/\d(?=\d\d)/g, '1');
  const [, scheme, login = '', host = '', rest = ''] = address.exec(value) ?? [];
  // Digits of a host may be an IP address or a port.
  if (scheme !== undefined) return scheme + redraw(login) + redraw(host, /[a-z]/gi) + redraw(rest);
  return redraw(value);
}

function redraw(value: string, replaced = /%[\da-f]{2}|[^\W_]|[\u0080-\uffff]/gi): string {
  const bytes = randomBytes(value.length);
  const isHex = hexadecimal.test(value) && /\d/.test(value);
  return value.replaceAll(replaced, (character, at: number) => {
    if (character.length > 1) return character;
    const among = kinds.find(([kind]) => kind.test(character))?.[isHex ? 2 : 1] ?? lowerCase;
    return among[(bytes[at] ?? 0) % among.length] ?? character;
  });
}

const lowerCase = 'abcdefghijklmnopqrstuvwxyz';
const kinds: readonly (readonly [kind: RegExp, among: string, hex: string])[] = [
  // A number does not begin with zero.
  [/\d/, '123456789', '0123456789'],
  [/[A-Z]/, lowerCase.toUpperCase(), 'ABCDEF'],
  [/[a-z]/, lowerCase, 'abcdef'],
];

/** Fields that name a person. */
const people = ['triggered_by', 'reverted_by', 'created_by', 'updated_by', 'owner'];
const emails = /(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g;
const addresses =
  /\b\d{1,3}(?:\.\d{1,3}){3}\b|(?<![\w:.])(?=[\da-f:]*\d)[\da-f]{0,4}(?::[\da-f]{0,4}){2,7}(?![\w:.])/gi;
/** Unspecified and loopback addresses identify no machine. */
const localAddress = /^(0\.0\.0\.0|127\.|::1?$)/;

function anonymizer() {
  const replaced = new Map<string, string>();
  const once = (value: string, make: () => string): string => {
    const made = replaced.get(value) ?? make();
    replaced.set(value, made);
    return made;
  };
  const person = (text: string) => once(text, () => redraw(text));
  const machine = (ip: string) =>
    once(ip, () => {
      const n = replaced.size + 1;
      return ip.includes(':') ? `fd00::${n.toString(16)}` : `198.${18 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}`;
    });
  const isTime = /^\d\d:\d\d:\d\d$/;
  return (value: string, field: string): string => {
    const text = people.includes(field) ? person(value) : value.replaceAll(emails, person);
    return text.replaceAll(addresses, (ip) => (localAddress.test(ip) || isTime.test(ip) ? ip : machine(ip)));
  };
}
