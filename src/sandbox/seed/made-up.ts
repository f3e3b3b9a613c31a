import type { State } from '../state.ts';

/** Loads `node:crypto` at its first use, because reads do not need it. */
const loadCrypto = () => require('node:crypto') as typeof import('node:crypto');

/** Returns hex digits for UIDs, commits and passwords. They look random but depend only on `seedText`. */
export function madeUpHex(seedText: string, digitCount: number): string {
  return loadCrypto().hash('sha256', `stackops sandbox ${seedText}`).slice(0, digitCount);
}

/** Returns other hex digits at every call, because `state` counts the calls. Equal states give equal digits. */
export function nextMadeUpHex(state: State, kind: string, digitCount: number): string {
  state.next.serial += 1;
  return madeUpHex(`${kind} ${state.next.serial}`, digitCount);
}

export function randomBytes(count: number): Uint8Array {
  return loadCrypto().randomBytes(count);
}

/** Returns 32 characters that cannot be guessed. */
export function randomSecret(): string {
  return loadCrypto().randomBytes(24).toString('base64url');
}

/** Returns a moment as `2026-04-14T09:30:00Z`. */
export function isoStamp(moment: Date | number): string {
  return `${new Date(moment).toISOString().slice(0, 19)}Z`;
}

/** Returns a moment as `2026-04-14T09:30:00+0000`, the format of times in tag entries. */
export function offsetStamp(moment: Date | number): string {
  return isoStamp(moment).replace('Z', '+0000');
}

/** Returns a moment as `2026-04-14 09:30:00 UTC`, the format of times in devices. */
export function plainStamp(moment: Date | number): string {
  return isoStamp(moment).replace('T', ' ').replace('Z', ' UTC');
}

/** Returns a moment as `20260414_093000`, the format in names of backup files. */
export function fileStamp(moment: Date | number): string {
  return isoStamp(moment).replaceAll(/[-:Z]/g, '').replace('T', '_');
}

/** E-mail address of the user to whom the sandbox's tokens belong. */
export const callerEmail = 'ada@harbour.example';
export const maraEmail = 'mara@harbour.example';

/** Text that stands for a private key in replies. */
export const storedKeyMark = '[key stored]';
