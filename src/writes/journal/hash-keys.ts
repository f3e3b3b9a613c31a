import { join } from 'node:path';
import type { Context } from '../../contract/command.ts';
import type { ReplacedValue } from '../../contract/plan.ts';
import { jsonText } from '../../contract/values/json.ts';
import type { Folders } from '../../files/folders.ts';
import { readJsonFile } from '../../files/json-file.ts';
import { withLock } from '../../files/lock.ts';
import { removeFile, replaceFile } from '../../files/replace-file.ts';
import type { HashedValue, SentEvent } from './event.ts';

/** The key for the hashes of one day. It is stored apart from the journal, so the journal alone reveals no value. */
export interface HashKey {
  /** Time of creation as ISO text in UTC. */
  readonly name: string;
  readonly secret: string;
}

export type HashKeys = ReturnType<typeof openHashKeys>;

type HashKeyOptions = Pick<Context, 'now' | 'warn'> & { readonly folders: () => Pick<Folders, 'config'> };

/** Returns functions for the hash keys of this machine. Each function throws `usage` if the key file cannot be used. */
export function openHashKeys({ folders, now, warn }: HashKeyOptions) {
  const getFilePath = () => join(folders().config, 'journal-keys.json');
  const readRecent = (): readonly HashKey[] => {
    let isExposed = false;
    const onExposed = () => {
      isExposed = true;
    };
    const entries = Object.entries(readJsonFile(getFilePath(), { warn, onExposed }) ?? {});
    // If other users could write the file, one may have added a key, so no key of the file is trusted.
    if (isExposed) removeFile(getFilePath());
    return entries.flatMap(([name, secret]) =>
      !isExposed && isRecentKey(name, now()) && typeof secret === 'string' ? [{ name, secret }] : [],
    );
  };
  const findTodaysKey = () => readRecent().find(({ name }) => name.slice(0, 10) === now().toISOString().slice(0, 10));
  const createKey = (): HashKey => {
    const secret = loadCrypto().randomBytes(32).toString('hex');
    const newKey = { name: now().toISOString(), secret };
    const entries = [...readRecent(), newKey].map((key) => [key.name, key.secret]);
    replaceFile(getFilePath(), `${JSON.stringify(Object.fromEntries(entries), undefined, 2)}\n`, { force: true });
    return newKey;
  };
  return {
    readRecent,
    /** Returns today's key. If it is new, keys over 30 days old are dropped. A lock guards against other processes. */
    findOrCreateToday: async () =>
      findTodaysKey() ?? withLock(getFilePath(), () => findTodaysKey() ?? createKey(), { warn }),
    /** Deletes all keys. Called if other users could change the journal, whose hashes then match no value. */
    deleteKeys: () => {
      removeFile(getFilePath());
      warn('other users could change files in the state folder: "history undo" no longer undoes earlier changes');
    },
  };
}

/** True if a key of this name is younger than 30 days. Older keys are deleted. */
export function isRecentKey(name: string, now: Date): boolean {
  return Math.abs(now.getTime() - Date.parse(name)) < 30 * 24 * 3_600_000;
}

/** Loads Node's `crypto` at its first use: most runs record no change. The global one would load more modules. */
export const loadCrypto = () => require('node:crypto') as typeof import('node:crypto');

/** The fields of a change that are part of its hashes, so hashes copied to another change match no value. */
type HashScope = Pick<SentEvent, 'id' | 'run' | 'profile' | 'address' | 'account' | 'stack'>;
type ValueRole = 'before' | 'after';

/** Returns what the journal stores about a replaced value: its hashes and, if it is no secret, the new value. */
export function hashReplacedValue(change: HashScope, replacedValue: ReplacedValue, hashKey: HashKey): HashedValue {
  const { kind, key, before, after, isName } = replacedValue;
  const hashFor = (role: ValueRole) => hashOf(change, replacedValue, [role, replacedValue[role]], hashKey);
  const isStoredUnhashed = isName || (typeof before !== 'string' && typeof after !== 'string');
  const hashes = { kind, key, hash_key: hashKey.name, before: hashFor('before'), after: hashFor('after') };
  return isStoredUnhashed ? { ...hashes, left: after } : hashes;
}

/** A function that returns true if `value` was the value before or after the change, by `role`. Null is no value. */
export type ValueMatcher = (role: ValueRole, value: unknown) => boolean;

/** Returns a function that compares values with the hashes; undefined if the key of the hashes was deleted. */
export function createValueMatcher(
  change: HashScope,
  storedHashes: HashedValue,
  keys: readonly HashKey[],
): ValueMatcher | undefined {
  const hashKey = keys.find(({ name }) => name === storedHashes.hash_key);
  return hashKey && ((...value) => hashOf(change, storedHashes, value, hashKey) === storedHashes[value[0]]);
}

/** Returns an HMAC-SHA256 in hex. It includes the id of the change and the role, so equal values hash differently. */
function hashOf(
  { id, run, profile, address, account, stack }: HashScope,
  { kind, key }: Pick<HashedValue, 'kind' | 'key'>,
  [role, value]: readonly [ValueRole, unknown],
  { secret }: HashKey,
): string {
  const sortedValue = Array.isArray(value) ? value.toSorted() : value;
  const scope = [run, profile, address, account, stack, kind].map((part) => part ?? null);
  const textToHash = jsonText([id, ...scope, key, role, sortedValue]);
  return loadCrypto().createHmac('sha256', secret).update(textToHash).digest('hex');
}
