import { isLoopback } from '../contract/values/loopback.ts';
import { durationMs, meantDuration } from '../contract/values/time.ts';
import { splitCommand } from './split-command.ts';

/** A value in its normal form, or a description of valid values: `a whole number from 1 to 10`. */
export type Checked = { readonly value: string } | { readonly mustBe: string; readonly hint?: string };
export interface Check {
  (text: string): Checked;
  /** All valid values, where they are a few words. */
  readonly words?: readonly string[];
}

const longestMs = 168 * 3_600_000;

/** More than 0, at most a week. */
export const duration: Check = (text) => {
  const ms = durationMs(text);
  if (ms !== undefined && ms > 0 && ms <= longestMs) return { value: text };
  const meant = ms === undefined ? meantDuration(text, 's') : undefined;
  return { mustBe: 'a duration such as 90s, 5m or 2h', ...(meant && { hint: `write ${meant}` }) };
};

export const onOrOff: Check = Object.assign(
  (text: string): Checked => {
    if (/^(true|1|yes|on)$/i.test(text)) return { value: 'true' };
    if (/^(false|0|no|off)$/i.test(text)) return { value: 'false' };
    return { mustBe: 'true or false' };
  },
  { words: ['true', 'false'] },
);

export const singleLine: Check = (text) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused; \p{Cc} would cost each start 1 ms
  /^[^\u0000-\u001f\u007f-\u009f\ud800-\udfff\u2028\u2029]{1,256}$/u.test(text)
    ? { value: text }
    : { mustBe: 'one line of 1 to 256 characters' };

/** A relative path would depend on the current folder. */
export const filePath: Check = (text) =>
  /^(~?\/|[a-z]:\\)/i.test(text) ? singleLine(text) : { mustBe: 'an absolute path' };

export const commandLine: Check = (text) => {
  const checked = singleLine(text);
  if ('mustBe' in checked || splitCommand(text)) return checked;
  return { mustBe: 'a program and its arguments, without shell syntax', hint: "run a shell for it: sh -c '…'" };
};

/** Such names need no quoting in any shell. */
export const profileName: Check = (text) =>
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text)
    ? { value: text }
    : { mustBe: 'up to 64 letters, digits, ".", "_" and "-"' };

export const scopeList: Check = (text) => {
  const scopes = text.split(/[\s,]+/).filter((scope) => scope !== '');
  if (scopes.length === 0 || !scopes.every((scope) => /^[a-z_]{1,40}$/.test(scope))) {
    return { mustBe: 'scopes such as public,redeploy' };
  }
  return { value: [...new Set(scopes)].join(',') };
};

export function wholeNumber(min: number, max: number): Check {
  return (text) =>
    /^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max
      ? { value: String(Number(text)) }
      : { mustBe: `a whole number from ${min} to ${max}` };
}

export function oneWordOf(words: readonly string[]): Check {
  const check = (text: string): Checked =>
    words.includes(text) ? { value: text } : { mustBe: `one of ${words.join(', ')}` };
  return Object.assign(check, { words });
}

/** https, or http to this machine; no user, no query. Trailing slashes are removed. */
export const serviceAddress: Check = (text) => {
  if (!URL.canParse(text)) return { mustBe: 'an address such as https://host/api/3' };
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return { mustBe: 'an address without user and password' };
  if (url.search !== '' || url.hash !== '') return { mustBe: 'an address without "?" and "#"' };
  const secure = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
  return secure
    ? { value: url.href.replace(/(?<!\/)\/+$/, '') }
    : { mustBe: 'an https:// address (http:// only for this machine)' };
};
