import type { State } from '../state.ts';

/** Required when it is needed: a read does without it. */
const crypto = () => require('node:crypto') as typeof import('node:crypto');

/** Hex digits that look random and are the same for the same words: UIDs, commits, passwords. */
export function madeUp(words: string, digits: number): string {
  return crypto().createHash('sha256').update(`stackops sandbox ${words}`).digest('hex').slice(0, digits);
}

/** Fresh hex digits on every call, and the same ones again for a state with the same past. */
export function nextMadeUp(state: State, kind: string, digits: number): string {
  state.next.serial += 1;
  return madeUp(`${kind} ${state.next.serial}`, digits);
}

/** 32 characters that nobody can guess. */
export function randomSecret(): string {
  return crypto().randomBytes(24).toString('base64url');
}

/** `2026-04-14T09:30:00Z` */
export function stamp(moment: Date | number): string {
  return `${new Date(moment).toISOString().slice(0, 19)}Z`;
}

/** `2026-04-14T09:30:00+0000`, the form of tags. */
export function offsetStamp(moment: Date | number): string {
  return stamp(moment).replace('Z', '+0000');
}

/** `2026-04-14 09:30:00 UTC`, the form of devices. */
export function plainStamp(moment: Date | number): string {
  return stamp(moment).replace('T', ' ').replace('Z', ' UTC');
}

/** `20260414_093000`, the form of backup files. */
export function fileStamp(moment: Date | number): string {
  return stamp(moment).replaceAll(/[-:Z]/g, '').replace('T', '_');
}

/** What stands in replies in place of a private key. */
export const keptKey = '[key stored]';
