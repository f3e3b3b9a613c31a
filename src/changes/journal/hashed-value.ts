import { createHmac, randomBytes } from 'node:crypto';
import type { ReplacedValue } from '../../contract/command.ts';
import type { HashedValue } from './event.ts';

/** The value as the journal keeps it, with a salt of its own: equal values of two changes have different hashes. */
export function hashedValue({ key, before, after }: ReplacedValue): HashedValue {
  const salt = randomBytes(16).toString('hex');
  return { key, salt, before: hashOf(before, salt), after: hashOf(after, salt) };
}

/** SHA-256 with a salt, in hex; null for no value. */
export function hashOf(value: string | null, salt: string): string | null {
  return value === null ? null : createHmac('sha256', salt).update(value).digest('hex');
}
