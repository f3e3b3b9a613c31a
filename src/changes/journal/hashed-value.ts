import type { ReplacedValue } from '../../contract/plan.ts';
import type { HashedValue, SentEvent } from './event.ts';
import type { HashKey } from './hash-keys.ts';

/** Loaded on demand, because a start that records no change does not need it. */
const crypto = () => require('node:crypto') as typeof import('node:crypto');

/** The entry that a hash is part of; a copy of the hash in another one does not count. */
type Entry = Pick<SentEvent, 'id' | 'run' | 'stack'>;
type Role = 'before' | 'after';

/** The value as the journal keeps it. */
export function hashedValue(entry: Entry, replaced: ReplacedValue, hashKey: HashKey): HashedValue {
  const { kind, key, before, after, isName } = replaced;
  const hash = (role: Role) => hashOf(entry, replaced, [role, replaced[role]], hashKey);
  const isPlain = isName || (typeof before !== 'string' && typeof after !== 'string');
  const hashes = { kind, key, hash_key: hashKey.name, before: hash('before'), after: hash('after') };
  return isPlain ? { ...hashes, left: after } : hashes;
}

/** Tells whether a value is the one before or after; null: there is none. */
export type ValueMatcher = (role: Role, value: unknown) => boolean;

/** Undefined without the key of the hashes. */
export function hashMatcher(entry: Entry, hashed: HashedValue, keys: readonly HashKey[]): ValueMatcher | undefined {
  const hashKey = keys.find(({ name }) => name === hashed.hash_key);
  return hashKey && ((...value) => hashOf(entry, hashed, value, hashKey) === hashed[value[0]]);
}

/** HMAC-SHA256 in hex. The random id of the change and the role are the salt: no two hashes of equal values are equal. */
function hashOf(
  { id, run, stack }: Entry,
  { kind, key }: Pick<HashedValue, 'kind' | 'key'>,
  [role, value]: readonly [Role, unknown],
  { secret }: HashKey,
): string {
  const held = Array.isArray(value) ? value.toSorted() : value;
  // Older lines have no kind.
  const bound = JSON.stringify([id, run ?? null, stack ?? null, ...[kind ?? []].flat(), key, role, held]);
  return crypto().createHmac('sha256', secret).update(bound).digest('hex');
}
