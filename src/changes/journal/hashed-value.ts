import type { ReplacedValue } from '../../contract/command.ts';
import type { HashedValue, SentEvent } from './event.ts';
import type { HashKey } from './hash-keys.ts';

/** Loaded on demand, because a start that records no change does not need it. */
const crypto = () => require('node:crypto') as typeof import('node:crypto');

/** The entry that a hash is part of; a copy of the hash in another one does not count. */
type Entry = Pick<SentEvent, 'id' | 'run' | 'stack'>;
type Role = 'before' | 'after';

/** The value as the journal keeps it. */
export function hashedValue(entry: Entry, { key, before, after }: ReplacedValue, hashKey: HashKey): HashedValue {
  const hash = (role: Role, value: string | null) => hashOf(entry, { key, role, value }, hashKey);
  return { key, hash_key: hashKey.name, before: hash('before', before), after: hash('after', after) };
}

/** Tells whether a value is the one before or after; null: there is none. Undefined without the key of the hashes. */
export function hashMatcher(
  entry: Pick<SentEvent, keyof Entry | 'value'>,
  keys: readonly HashKey[],
): ((role: Role, value: string | null) => boolean) | undefined {
  const hashed = entry.value;
  const hashKey = keys.find(({ name }) => name === hashed?.hash_key);
  if (!hashed || !hashKey) return undefined;
  return (role, value) => hashOf(entry, { key: hashed.key, role, value }, hashKey) === hashed[role];
}

/** HMAC-SHA256 in hex. The random id of the change and the role are the salt: no two hashes of equal values are equal. */
function hashOf(
  { id, run, stack }: Entry,
  { key, role, value }: { readonly key: string; readonly role: Role; readonly value: string | null },
  { secret }: HashKey,
): string {
  const bound = JSON.stringify([id, run ?? null, stack ?? null, key, role, value]);
  return crypto().createHmac('sha256', secret).update(bound).digest('hex');
}
