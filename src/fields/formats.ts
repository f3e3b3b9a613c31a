import type { TextFormat } from '../contract/field.ts';
import { isLoopback } from '../contract/values/loopback.ts';
import { splitCommand } from './split-command.ts';

/** A text in its normal form, or a description of valid texts: `an absolute path`. */
type Checked = { readonly value: string } | { readonly mustBe: string; readonly hint?: string };

const line = (text: string): Checked =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are refused; \p{Cc} would cost each start 1 ms
  /^[^\u0000-\u001f\u007f-\u009f\ud800-\udfff\u2028\u2029]{1,256}$/u.test(text)
    ? { value: text }
    : { mustBe: 'one line of 1 to 256 characters' };

export const formats: Readonly<Record<TextFormat, (text: string) => Checked>> = {
  line,
  // A relative path would depend on the current folder.
  path: (text) => (/^(~?\/|[a-z]:\\)/i.test(text) ? line(text) : { mustBe: 'an absolute path' }),
  program: (text) => {
    const checked = line(text);
    if ('mustBe' in checked || splitCommand(text)) return checked;
    return { mustBe: 'a program and its arguments, without shell syntax', hint: "run a shell for it: sh -c '…'" };
  },
  // Such names need no quoting in any shell.
  profile: (text) =>
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text)
      ? { value: text }
      : { mustBe: 'up to 64 letters, digits, ".", "_" and "-"' },
  scopes: (text) => {
    const scopes = text.split(/[\s,]+/).filter((scope) => scope !== '');
    if (scopes.length === 0 || !scopes.every((scope) => /^[a-z_]{1,40}$/.test(scope))) {
      return { mustBe: 'scopes such as public,redeploy' };
    }
    return { value: [...new Set(scopes)].join(',') };
  },
  address: (text) => {
    if (!URL.canParse(text)) return { mustBe: 'an address such as https://host/api/3' };
    const url = new URL(text);
    if (url.username !== '' || url.password !== '') return { mustBe: 'an address without user and password' };
    if (url.search !== '' || url.hash !== '') return { mustBe: 'an address without "?" and "#"' };
    const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
    return isSafe
      ? { value: url.href.replace(/(?<!\/)\/+$/, '') }
      : { mustBe: 'an https:// address (http:// only for this machine)' };
  },
};
