import { groupBy } from '../../contract/values/group-by.ts';
import { replaceSecretsInText } from '../../contract/values/text.ts';
import { isoStamp, randomBytes } from '../seed/made-up.ts';
import { seedState } from '../seed/seed.ts';
import type { CopiedState, State } from '../state.ts';
import { type CopySource, createCopiedState, type ValueMapper } from './copied-state.ts';

interface CopyOptions {
  readonly now: Date;
  readonly address: string;
  /** If true, IP addresses, e-mail addresses and names of people are replaced, too. */
  readonly anonymous: boolean;
}

/**
 * Returns a state with the stacks of `source`. Made-up values of the same kind stand in place of secrets, and equal
 * secrets get equal values. Users and clusters are those of a new sandbox.
 */
export function createCopy(source: CopySource, { now, address, anonymous }: CopyOptions): State {
  const madeUp = new Set<string>();
  const replaceSecrets = createValueReplacer(findSecrets(source, now), madeUp);
  const anonymize = anonymous ? createAnonymizer() : (value: string) => value;
  const disguisedState = createCopiedState(source, now, (value, kind, field) => {
    const newValue = anonymize(replaceSecrets(value, kind, field), field);
    if (newValue !== value) madeUp.add(newValue);
    return newValue;
  });
  const first = JSON.stringify(disguisedState);
  const copiedState: CopiedState = JSON.parse(first);
  const { stacks, accounts } = copiedState;
  const seed = seedState(now);
  const next = {
    ...seed.next,
    backup: nextIdAfter(stacks.flatMap(({ backups }) => backups.map(({ row }) => row.id))),
    deployment: nextIdAfter(stacks.flatMap(({ deployments }) => deployments.map(({ row }) => row.id))),
    gateway: nextIdAfter(accounts.flatMap(({ gateways }) => gateways.map(({ id }) => id))),
    variable: nextIdAfter(stacks.flatMap(({ variables }) => variables.map(({ id }) => id))),
  };
  const copy = { source: address, at: isoStamp(now), without: source.without, madeUp: [...madeUp], first };
  return { ...seed, ...copiedState, next, copy };
}

function nextIdAfter(ids: readonly number[]): number {
  return ids.reduce((highest, id) => Math.max(highest, Number(id) || 0), 0) + 1;
}

function findSecrets(source: CopySource, now: Date): ReadonlySet<string> {
  const secrets = new Set<string>();
  createCopiedState(source, now, (value, kind) => {
    // A generated word, such as the name of the stack, is not collected, because equal values elsewhere must stay.
    const isSecretValue = kind === 'secret' || (kind === 'generated' && !/^[a-z]+$/i.test(value));
    if (isSecretValue && !trivialValuePattern.test(value)) secrets.add(value);
    return value;
  });
  return secrets;
}

/** Matches values that are no secrets: truth values, empty text, and `n/a`, which marks a closed gateway. */
const trivialValuePattern = /^(true|false|yes|no|on|off|n\/?a)?$/i;
/** Matches a single word, such as a branch. No secret is searched inside a word. */
const singleWordPattern = /^[\w.-]*$/;

/** Minimum length of a secret that is replaced also inside a text. A shorter one is replaced only as a whole value. */
const minSecretLengthInText = 8;

function createTextReplacer(secrets: ReadonlySet<string>) {
  const longSecrets = [...secrets].filter(({ length }) => length >= minSecretLengthInText);
  const longestFirst = longSecrets.toSorted((one, other) => other.length - one.length);
  const secretsByStart = groupBy(longestFirst, (secret) => secret.slice(0, minSecretLengthInText));
  return (text: string, replacementFor: (secret: string) => string): string => {
    let result = '';
    for (let at = 0; at < text.length; ) {
      const candidates = secretsByStart.get(text.slice(at, at + minSecretLengthInText)) ?? [];
      const secret = candidates.find((one) => text.startsWith(one, at));
      result += secret === undefined ? text[at] : replacementFor(secret);
      at += secret?.length ?? 1;
    }
    return result;
  };
}

function createValueReplacer(secrets: ReadonlySet<string>, madeUp: Set<string>): ValueMapper {
  const newValueByOldValue = new Map<string, string>();
  const replacementFor = (value: string): string => {
    let newValue = newValueByOldValue.get(value);
    for (let tries = 0; newValue === undefined; tries += 1) {
      // After 20 tries, new values of this kind have run out, so letters are used; after 40 tries, more letters.
      const letterCount = value.length + Math.max(0, tries - 40);
      const candidate = tries < 20 ? createSimilarValue(value) : randomizeText('x'.repeat(letterCount));
      if (candidate !== value && !secrets.has(candidate) && !madeUp.has(candidate)) newValue = candidate;
    }
    newValueByOldValue.set(value, newValue);
    madeUp.add(newValue);
    return newValue;
  };
  const replaceInText = createTextReplacer(secrets);
  return (value, kind) => {
    if (kind === 'generated' && !trivialValuePattern.test(value)) return replacementFor(value);
    if ((kind === 'secret' || kind === 'open') && secrets.has(value)) return replacementFor(value);
    if (kind === 'text' && singleWordPattern.test(value)) return value;
    const inserted: string[] = [];
    const text = replaceInText(value, (secret) => {
      const newValue = replacementFor(secret);
      inserted.push(newValue);
      return newValue;
    });
    const isReplaced = (found: string) => inserted.some((one) => one.includes(found) || found.includes(one));
    return replaceSecretsInText(text, (found) =>
      isReplaced(found) || trivialValuePattern.test(found) ? found : replacementFor(found),
    );
  };
}

const urlPattern = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#]*@)?([^/?#]*)(.*)$/is;
const hexPattern = /^[\da-f]+(-[\da-f]+)*$/i;

function createSimilarValue(value: string): string {
  // Each number in an IPv4 address is at most 255, so the first of three digits is always set to 1.
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(value)) return randomizeText(value).replaceAll(/\d(?=\d\d)/g, '1');
  const [, scheme, login = '', host = '', rest = ''] = urlPattern.exec(value) ?? [];
  // Digits of a host stay, because they may be an IP address or a port.
  if (scheme !== undefined) return scheme + randomizeText(login) + randomizeText(host, /[a-z]/gi) + randomizeText(rest);
  return randomizeText(value);
}

function randomizeText(value: string, pattern = /%[\da-f]{2}|[^\W_]|[\u0080-\uffff]/gi): string {
  const bytes = randomBytes(value.length);
  const isHex = hexPattern.test(value) && /\d/.test(value);
  return value.replaceAll(pattern, (character, at: number) => {
    if (character.length > 1) return character;
    const alphabet = alphabets.find(([kind]) => kind.test(character))?.[isHex ? 2 : 1] ?? lowerCaseLetters;
    return alphabet[(bytes[at] ?? 0) % alphabet.length] ?? character;
  });
}

const lowerCaseLetters = 'abcdefghijklmnopqrstuvwxyz';
const alphabets: readonly (readonly [kind: RegExp, alphabet: string, hexAlphabet: string])[] = [
  // No zero among the decimal digits, so that no number begins with a zero.
  [/\d/, '123456789', '0123456789'],
  [/[A-Z]/, lowerCaseLetters.toUpperCase(), 'ABCDEF'],
  [/[a-z]/, lowerCaseLetters, 'abcdef'],
];

const personFields = ['triggered_by', 'reverted_by', 'created_by', 'updated_by', 'owner'];
const emailPattern = /(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g;
const ipPattern =
  /\b\d{1,3}(?:\.\d{1,3}){3}\b|(?<![\w:.])(?=[\da-f:]*\d)[\da-f]{0,4}(?::[\da-f]{0,4}){2,7}(?![\w:.])/gi;
/** Matches unspecified and loopback addresses, which stay because they identify no machine, and a time of day. */
const keptIpPattern = /^(0\.0\.0\.0|127\.|::1?$|\d\d:\d\d:\d\d$)/;

function createAnonymizer() {
  const newValueByOldValue = new Map<string, string>();
  const replaceConsistently = (value: string, makeValue: () => string): string => {
    const newValue = newValueByOldValue.get(value) ?? makeValue();
    newValueByOldValue.set(value, newValue);
    return newValue;
  };
  const replacePerson = (text: string) => replaceConsistently(text, () => randomizeText(text));
  const replaceIp = (ip: string) => {
    if (keptIpPattern.test(ip)) return ip;
    return replaceConsistently(ip, () => {
      const n = newValueByOldValue.size + 1;
      return ip.includes(':') ? `fd00::${n.toString(16)}` : `198.${18 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}`;
    });
  };
  return (value: string, field: string): string => {
    const text = personFields.includes(field) ? replacePerson(value) : value.replaceAll(emailPattern, replacePerson);
    return text.replaceAll(ipPattern, replaceIp);
  };
}
