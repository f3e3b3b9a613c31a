import { join } from 'node:path';
import type { Context } from '../../contract/command.ts';
import type { ReplacedValue } from '../../contract/plan.ts';
import type { Folders } from '../../files/folders.ts';
import { readJsonFile } from '../../files/json-file.ts';
import { withLock } from '../../files/lock.ts';
import { removeFile, replaceFile } from '../../files/replace-file.ts';
import type { HashedValue, SentEvent } from './event.ts';

/** The key for the hashes of one day. It is stored apart from the journal, so the journal alone reveals no value. */
export interface HashKey {
  /** Time of creation: ISO, UTC. */
  readonly name: string;
  readonly secret: string;
}

export type HashKeys = ReturnType<typeof openHashKeys>;

type Parts = Pick<Context, 'now' | 'warn'> & { readonly folders: () => Pick<Folders, 'config'> };

/** The keys of this machine, shared with the sandbox. Each function throws usage when the file cannot be used. */
export function openHashKeys({ folders, now, warn }: Parts) {
  const file = () => join(folders().config, 'journal-keys.json');
  const recent = (): readonly HashKey[] => {
    let isExposed = false;
    const exposed = () => {
      isExposed = true;
    };
    const found = Object.entries(readJsonFile(file(), { warn, exposed }) ?? {});
    // Another user may have added a key.
    if (isExposed) removeFile(file());
    return found.flatMap(([name, secret]) =>
      !isExposed && isRecent(name, now()) && typeof secret === 'string' ? [{ name, secret }] : [],
    );
  };
  const ofToday = () => recent().find(({ name }) => name.slice(0, 10) === now().toISOString().slice(0, 10));
  const make = (): HashKey => {
    const secret = crypto().randomBytes(32).toString('hex');
    const made = { name: now().toISOString(), secret };
    const all = [...recent(), made].map((key) => [key.name, key.secret]);
    replaceFile(file(), `${JSON.stringify(Object.fromEntries(all), undefined, 2)}\n`, { force: true });
    return made;
  };
  return {
    recent,
    /** Creates today's key and deletes keys older than 30 days. The lock guards against other processes. */
    ofToday: async () => ofToday() ?? withLock(file(), () => ofToday() ?? make(), { warn }),
    /** Deletes the keys when other users could change the journal: its hashes no longer count. */
    forget: () => {
      removeFile(file());
      warn('other users could change files in the state folder: "history undo" no longer undoes earlier changes');
    },
  };
}

/** True when a key of this name is still stored. */
export function isRecent(name: string, now: Date): boolean {
  return Math.abs(now.getTime() - Date.parse(name)) < 30 * 24 * 3_600_000;
}

/** Loaded on demand: a start that records no change does not need it, and the global `crypto` would load more. */
export const crypto = () => require('node:crypto') as typeof import('node:crypto');

/** The entry is part of its hashes, so a hash copied to another entry does not match. */
type Entry = Pick<SentEvent, 'id' | 'run' | 'profile' | 'address' | 'account' | 'stack'>;
type Role = 'before' | 'after';

/** Returns the value as the journal stores it. */
export function hashedValue(entry: Entry, replaced: ReplacedValue, hashKey: HashKey): HashedValue {
  const { kind, key, before, after, isName } = replaced;
  const hash = (role: Role) => hashOf(entry, replaced, [role, replaced[role]], hashKey);
  const isPlain = isName || (typeof before !== 'string' && typeof after !== 'string');
  const hashes = { kind, key, hash_key: hashKey.name, before: hash('before'), after: hash('after') };
  return isPlain ? { ...hashes, left: after } : hashes;
}

/** True when `value` is the one before or after; null means that there was none. */
export type ValueMatcher = (role: Role, value: unknown) => boolean;

/** Returns undefined when the key of the hashes is gone. */
export function hashMatcher(entry: Entry, hashed: HashedValue, keys: readonly HashKey[]): ValueMatcher | undefined {
  const hashKey = keys.find(({ name }) => name === hashed.hash_key);
  return hashKey && ((...value) => hashOf(entry, hashed, value, hashKey) === hashed[value[0]]);
}

/** The HMAC-SHA256 in hex. The id of the change and the role are a salt: equal values have different hashes. */
function hashOf(
  { id, run, profile, address, account, stack }: Entry,
  { kind, key }: Pick<HashedValue, 'kind' | 'key'>,
  [role, value]: readonly [Role, unknown],
  { secret }: HashKey,
): string {
  const sorted = Array.isArray(value) ? value.toSorted() : value;
  const scope = [run, profile, address, account, stack, kind].map((part) => part ?? null);
  const bound = JSON.stringify([id, ...scope, key, role, sorted]);
  return crypto().createHmac('sha256', secret).update(bound).digest('hex');
}
