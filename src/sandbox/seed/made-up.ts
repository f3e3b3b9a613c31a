import type { State } from '../state.ts';

/** Loaded on demand: reads do not need it. */
const crypto = () => require('node:crypto') as typeof import('node:crypto');

/** Hex digits that look random but depend only on the words: UIDs, commits, passwords. */
export function madeUp(words: string, digits: number): string {
  return crypto().hash('sha256', `stackops sandbox ${words}`).slice(0, digits);
}

/** New hex digits on every call, reproducible for the same state. */
export function nextMadeUp(state: State, kind: string, digits: number): string {
  state.next.serial += 1;
  return madeUp(`${kind} ${state.next.serial}`, digits);
}

export function randomBytes(count: number): Uint8Array {
  return crypto().randomBytes(count);
}

/** 32 characters that cannot be guessed. */
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

/** The user of the sandbox's tokens. */
export const caller = 'ada@harbour.example';

/** Replaces a private key in replies. */
export const storedKeyMark = '[key stored]';
