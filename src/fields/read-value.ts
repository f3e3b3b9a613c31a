import type { Field, TextFormat } from '../contract/field.ts';
import { isLoopback } from '../contract/values/text.ts';
import { durationMs, preciseDuration, suggestDuration } from '../contract/values/time.ts';
import { CliError, type Correction } from '../errors/cli-error.ts';
import { nearest } from '../errors/nearest.ts';

const maxLength = 256;

type Readable = Field & { readonly inPath?: boolean };

/** Reads the typed text of a field as its value. `shown` names the text in messages. Throws usage. */
export function readValue(text: string, field: Readable, shown: string): unknown {
  if (text.includes('\uFFFD')) {
    throw new CliError('usage', `${shown} must be valid UTF-8; pass it by stdin or from a file`);
  }
  if (field.kind === 'integer') return readInteger(text, field, shown);
  if (field.kind === 'choice') return readChoice(text, field, shown);
  if (field.kind === 'flag') return readSwitch(text, shown);
  if (field.format) return readFormat(text, field.format, shown);
  if (field.inPath) checkIdentifier(text, shown);
  if (field.maxLength !== undefined && [...text].length > field.maxLength) {
    throw new CliError('usage', `${shown} must have at most ${field.maxLength} characters, not ${[...text].length}`);
  }
  return text;
}

/** An empty value is a mistake, such as an unset variable, unless its field gives it a meaning. */
export function refuseEmpty(text: string, field: Partial<Field>, shown: string): void {
  const { empty, assigns = (field.of as Field | undefined)?.assigns } = field;
  if (empty !== undefined && !(assigns && text === '')) return;
  if (text.trim() === '') throw new CliError('usage', `${shown} must not be empty`);
  const [, name] = (assigns && /^([^=]+)=\s*$/.exec(text)) ?? [];
  if (name !== undefined) throw new CliError('usage', `${shown} needs a value after "${name}="`);
}

export function readNames(text: string, shown: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  if (!names.includes('')) return names;
  throw new CliError('usage', `${shown} must be names separated by commas, not "${text}"`);
}

/** The two sides of `NAME=VALUE`, split at the first `=`. `mustBe`: `--role must be STACK=ROLE`, where no name may be empty. */
export function readPair(text: string, mustBe?: string): readonly [name: string, value: string] {
  const cut = text.indexOf('=');
  if (cut > 0 || (cut === 0 && mustBe === undefined)) return [text.slice(0, cut), text.slice(cut + 1)];
  const message = mustBe ? `${mustBe}, not "${text}"` : `"${text}" has no "=": write ${text}=VALUE`;
  throw new CliError('usage', message);
}

function readInteger(text: string, field: Readable, shown: string): number | string {
  const { keywords, unit } = field;
  if (keywords?.includes(text)) return text;
  if (unit === 'ms' || unit === 'seconds') return readDuration(text, field, shown);
  const bare = unit === 'percent' ? text.replace(/ ?%$/, '') : text;
  if (!/^(0|[1-9][0-9]{0,18})$/.test(bare)) throw notInteger(text, field, shown);
  // Ids are counted from 1.
  if (bare === '0' && field.inPath) throw new CliError('usage', `${shown} must be a whole number above 0, not "0"`);
  const value = Number(bare);
  // An id that is too long for a number stays text, so that no digit is lost.
  return Number.isSafeInteger(value) ? checkRange(value, field, text, shown) : bare;
}

function readDuration(text: string, field: Field, shown: string): number {
  const ms = durationMs(text);
  if (ms !== undefined) return checkRange(field.unit === 'ms' ? ms : Math.round(ms / 1000), field, text, shown);
  const by = suggestDuration(text, field.bareUnit);
  // The hint is for a value that is not on the command line.
  const details = by === undefined ? {} : { hint: `write ${by}`, correction: replaceValue(text, by, shown) };
  throw new CliError('usage', `${shown} must be a duration such as 90s, 5m, 8h or 7d, not "${text}"`, details);
}

function checkRange(value: number, { range, unit }: Field, text: string, shown: string): number {
  if (!range || (value >= range[0] && value <= range[1])) return value;
  if (range[1] === Number.MAX_SAFE_INTEGER) throw notInteger(text, { range }, shown);
  const msPerUnit = { ms: 1, seconds: 1000 }[String(unit)];
  const [least, most] = msPerUnit ? range.map((limit) => preciseDuration(limit * msPerUnit)) : range;
  throw new CliError('usage', `${shown} must be between ${least} and ${most}, not "${text}"`);
}

function notInteger(
  text: string,
  { range, keywords = [] }: Pick<Field, 'range' | 'keywords'>,
  shown: string,
): CliError {
  const number = `a whole number${range ? rangeText(range) : ''}`;
  // Intl takes longer to load than the rest of a start.
  const either = [number, ...keywords.slice(0, -1)].join(', ');
  const expected = [either, ...keywords.slice(-1)].join(' or ');
  // The newest item is the default, so the correction removes the word.
  const isNewest = /^(last|latest|newest|previous)$/.test(text);
  return new CliError('usage', `${shown} must be ${expected}, not "${text}"`, {
    ...(isNewest && { correction: { replace: { word: text, by: [] } } }),
  });
}

function rangeText([least, most]: NonNullable<Field['range']>): string {
  return most === Number.MAX_SAFE_INTEGER ? ` above ${least - 1}` : ` between ${least} and ${most}`;
}

function readSwitch(text: string, shown: string): boolean {
  if (/^(true|1|yes|on)$/i.test(text)) return true;
  if (/^(false|0|no|off)$/i.test(text)) return false;
  throw new CliError('usage', `${shown} must be true or false, not "${text}"`);
}

function readFormat(text: string, format: TextFormat, shown: string): string {
  const checked = formats[format](text);
  if ('value' in checked) return checked.value;
  // A password may precede the host of an address or follow a `?`.
  const safe =
    format === 'address'
      ? text.replace(/^([a-z][a-z0-9+.-]*:\/\/)?[^/?#]*@/i, '$1***@').replace(/([?#]).+$/s, '$1***')
      : text;
  throw new CliError('usage', `${shown} must be ${checked.mustBe}, not "${safe}"`, { hint: checked.hint });
}

function readChoice(text: string, { choices = [], open }: Field, shown: string): string {
  if (open || choices.includes(text)) return text;
  const by = nearest(text, choices);
  const correction = by === undefined ? undefined : replaceValue(text, by, shown);
  throw new CliError('usage', `${shown} must be one of ${choices.join(', ')}, not "${text}"`, { correction });
}

function replaceValue(word: string, by: string, shown: string): Correction {
  return { replace: { word, by: [by], ...(shown.startsWith('--') && { at: shown }) } };
}

function checkIdentifier(text: string, shown: string): void {
  // The value becomes part of a path, so it must neither leave nor end its segment.
  if (text === '.' || text === '..') throw new CliError('usage', `${shown} must be an identifier, not "${text}"`);
  if (text.length > maxLength)
    throw new CliError('usage', `${shown} must have at most ${maxLength} characters, not ${text.length}`);
  if (!text.isWellFormed()) throw new CliError('usage', `${shown} must be valid text`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\u0000-\u001f\u007f-\u009f/\\?#%;]/.test(text)) {
    throw new CliError(
      'usage',
      `${shown} must be an identifier without / \\ ? # % ; or control characters, not ${JSON.stringify(text)}`,
    );
  }
}

/** A text in its normal form, or a description of valid texts: `an absolute path`. */
type Checked = { readonly value: string } | { readonly mustBe: string; readonly hint?: string };

const readLine = (text: string): Checked =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are refused; \p{Cc} would cost each start 1 ms
  /^[^\u0000-\u001f\u007f-\u009f\ud800-\udfff\u2028\u2029]{1,256}$/u.test(text)
    ? { value: text }
    : { mustBe: 'one line of 1 to 256 characters' };

const formats: Readonly<Record<TextFormat, (text: string) => Checked>> = {
  line: readLine,
  // A relative path would depend on the current folder.
  path: (text) => (/^(~?\/|[a-z]:\\)/i.test(text) ? readLine(text) : { mustBe: 'an absolute path' }),
  program: (text) => {
    const checked = readLine(text);
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

/** One character or one quoted part of a word. Shell syntax matches only inside quotes. */
const piece = /[^\s'"\\|&;<>$`~]|'[^']*'|"(?:[^"\\$`]|\\.)*"|\\./.source;
const commandLine = new RegExp(`^(?:\\s|${piece})*$`);
const shellWords = new RegExp(`(?:${piece})+`, 'g');

/** Splits a command line with quotes and backslashes. Undefined for an empty line, and for one that needs a shell. */
export function splitCommand(text: string): readonly string[] | undefined {
  if (!commandLine.test(text)) return undefined;
  const found = (text.match(shellWords) ?? []).map(unquoted);
  const [program] = found;
  // An assignment in front of the program is shell syntax too.
  return !program || /^\w+=/.test(program) ? undefined : found;
}

function unquoted(word: string): string {
  return word.replace(
    /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/g,
    (_, single: string | undefined, double: string | undefined, sign: string) =>
      single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? sign,
  );
}
