import type { ReplacedValue } from '../../contract/command.ts';
import type { HashedValue } from './event.ts';

/** Loaded on demand, because a start that records no change does not need it. */
const crypto = () => require('node:crypto') as typeof import('node:crypto');

/** The value as the journal keeps it, with a salt of its own: equal values of two changes have different hashes. */
export function hashedValue({ key, before, after }: ReplacedValue): HashedValue {
  const salt = crypto().randomBytes(16).toString('hex');
  return { key, salt, before: hashOf(before, salt), after: hashOf(after, salt) };
}

/** SHA-256 with a salt, in hex; null for no value. */
export function hashOf(value: string | null, salt: string): string | null {
  return value === null ? null : crypto().createHmac('sha256', salt).update(value).digest('hex');
}
