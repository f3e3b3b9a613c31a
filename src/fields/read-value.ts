import type { Field, TextFormat } from '../contract/field.ts';
import { isLoopback } from '../contract/values/text.ts';
import { durationMs, exactDurationText, suggestDuration } from '../contract/values/time.ts';
import { CliError, type Correction } from '../errors/cli-error.ts';
import { nearest } from '../errors/nearest.ts';

const maxIdentifierLength = 256;

type ReadableField = Field & { readonly inPath?: boolean };

/** Reads a typed text as the value of a field, which messages call `label`. Throws `usage` if the text is invalid. */
export function readValue(text: string, field: ReadableField, label: string): unknown {
  if (text.includes('\uFFFD')) {
    throw new CliError('usage', `${label} must be valid UTF-8; pass it by stdin or from a file`);
  }
  if (field.kind === 'integer') return readInteger(text, field, label);
  if (field.kind === 'choice') return readChoice(text, field, label);
  if (field.kind === 'flag') return readBoolean(text, label);
  if (field.format) return readFormattedText(text, field.format, label);
  if (field.inPath) checkIdentifier(text, label);
  if (field.maxLength !== undefined && [...text].length > field.maxLength) {
    throw new CliError('usage', `${label} must have at most ${field.maxLength} characters, not ${[...text].length}`);
  }
  return text;
}

/** Throws `usage` for an empty value, unless the field gives it a meaning. It is probably an unset shell variable. */
export function refuseEmpty(text: string, field: Partial<Field>, label: string): void {
  const { empty, assigns = (field.of as Field | undefined)?.assigns } = field;
  if (empty !== undefined && !(assigns && text === '')) return;
  if (text.trim() === '') throw new CliError('usage', `${label} must not be empty`);
  const [, name] = (assigns && /^([^=]+)=\s*$/.exec(text)) ?? [];
  if (name !== undefined) throw new CliError('usage', `${label} needs a value after "${name}="`);
}

export function readNames(text: string, label: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  if (!names.includes('')) return names;
  throw new CliError('usage', `${label} must be names separated by commas, not "${text}"`);
}

/** Splits at the first `=`, or throws `usage`. With `mustBe` (`--role must be STACK=ROLE`) a name must not be empty. */
export function readPair(text: string, mustBe?: string): readonly [name: string, value: string] {
  const index = text.indexOf('=');
  if (index > 0 || (index === 0 && mustBe === undefined)) return [text.slice(0, index), text.slice(index + 1)];
  const message = mustBe ? `${mustBe}, not "${text}"` : `"${text}" has no "=": write ${text}=VALUE`;
  throw new CliError('usage', message);
}

function readInteger(text: string, field: ReadableField, label: string): number | string {
  const { keywords, unit } = field;
  if (keywords?.includes(text)) return text;
  if (unit === 'ms' || unit === 'seconds') return readDuration(text, field, label);
  const digits = unit === 'percent' ? text.replace(/ ?%$/, '') : text;
  if (!/^(0|[1-9][0-9]{0,18})$/.test(digits)) throw notIntegerError(text, field, label);
  // A number in a path is an ID. IDs are counted from 1, so 0 is refused.
  if (digits === '0' && field.inPath) throw new CliError('usage', `${label} must be a whole number above 0, not "0"`);
  const value = Number(digits);
  // An ID that is too long for a number stays text, so that no digit is lost.
  return Number.isSafeInteger(value) ? checkRange(value, field, text, label) : digits;
}

function readDuration(text: string, field: Field, label: string): number {
  const ms = durationMs(text);
  if (ms !== undefined) return checkRange(field.unit === 'ms' ? ms : Math.round(ms / 1000), field, text, label);
  const guess = suggestDuration(text, field.bareUnit);
  throw new CliError('usage', `${label} must be a duration such as 90s, 5m, 8h or 7d, not "${text}"`, {
    // The correction changes a typed command line. For a value from elsewhere, such as a setting, there is the hint.
    hint: guess && `write ${guess}`,
    correction: valueCorrection(text, guess, label),
  });
}

function checkRange(value: number, field: Field, text: string, label: string): number {
  const { range, unit } = field;
  if (!range || (value >= range[0] && value <= range[1])) return value;
  if (range[1] === Number.MAX_SAFE_INTEGER) throw notIntegerError(text, field, label);
  const msPerUnit = { ms: 1, seconds: 1000 }[String(unit)];
  const [least, most] = msPerUnit ? range.map((limit) => exactDurationText(limit * msPerUnit)) : range;
  throw new CliError('usage', `${label} must be between ${least} and ${most}, not "${text}"`);
}

function notIntegerError(text: string, { range, keywords = [] }: Field, label: string): CliError {
  const numberText = `a whole number${range ? rangeText(range) : ''}`;
  // Joined without Intl, which takes longer to load than the rest of a start.
  const choicesText = [numberText, ...keywords.slice(0, -1)].join(', ');
  const expectedText = [choicesText, ...keywords.slice(-1)].join(' or ');
  // A command without this argument uses the newest item, so the correction removes a word such as `last`.
  const isWordForNewest = /^(last|latest|newest|previous)$/.test(text);
  return new CliError('usage', `${label} must be ${expectedText}, not "${text}"`, {
    ...(isWordForNewest && { correction: { replace: { word: text, by: [] } } }),
  });
}

function rangeText([least, most]: NonNullable<Field['range']>): string {
  return most === Number.MAX_SAFE_INTEGER ? ` above ${least - 1}` : ` between ${least} and ${most}`;
}

function readBoolean(text: string, label: string): boolean {
  if (/^(true|1|yes|on)$/i.test(text)) return true;
  if (/^(false|0|no|off)$/i.test(text)) return false;
  throw new CliError('usage', `${label} must be true or false, not "${text}"`);
}

function readFormattedText(text: string, format: TextFormat, label: string): string {
  const checked = checkByFormat[format](text);
  if ('value' in checked) return checked.value;
  // An address may have a password in front of the host or behind a `?`, so these two parts are masked.
  const maskedText =
    format === 'address'
      ? text.replace(/^([a-z][a-z0-9+.-]*:\/\/)?[^/?#]*@/i, '$1***@').replace(/([?#]).+$/s, '$1***')
      : text;
  throw new CliError('usage', `${label} must be ${checked.mustBe}, not "${maskedText}"`, { hint: checked.hint });
}

function readChoice(text: string, { choices = [], open }: Field, label: string): string {
  if (open || choices.includes(text)) return text;
  const correction = valueCorrection(text, nearest(text, choices), label);
  throw new CliError('usage', `${label} must be one of ${choices.join(', ')}, not "${text}"`, { correction });
}

function valueCorrection(word: string, by: string | undefined, label: string): Correction | undefined {
  return by === undefined ? undefined : { replace: { word, by: [by], ...(label.startsWith('--') && { at: label }) } };
}

function checkIdentifier(text: string, label: string): void {
  // The value becomes a segment of a path, so it must neither leave nor end that segment.
  if (text === '.' || text === '..') throw new CliError('usage', `${label} must be an identifier, not "${text}"`);
  if (text.length > maxIdentifierLength)
    throw new CliError('usage', `${label} must have at most ${maxIdentifierLength} characters, not ${text.length}`);
  if (!text.isWellFormed()) throw new CliError('usage', `${label} must be valid text`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\u0000-\u001f\u007f-\u009f/\\?#%;]/.test(text)) {
    const mustBe = 'an identifier without / \\ ? # % ; or control characters';
    throw new CliError('usage', `${label} must be ${mustBe}, not ${JSON.stringify(text)}`);
  }
}

/** The result of a check: the text in its normal format, or a description of valid texts: `an absolute path`. */
type CheckedText = { readonly value: string } | { readonly mustBe: string; readonly hint?: string };

const checkLine = (text: string): CheckedText =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are refused; \p{Cc} would cost each start 1 ms
  /^[^\u0000-\u001f\u007f-\u009f\ud800-\udfff\u2028\u2029]{1,256}$/u.test(text)
    ? { value: text }
    : { mustBe: 'one line of 1 to 256 characters' };

const checkByFormat: Readonly<Record<TextFormat, (text: string) => CheckedText>> = {
  line: checkLine,
  // A relative path would depend on the current folder, so it is refused.
  path: (text) => (/^(~?\/|[a-z]:\\)/i.test(text) ? checkLine(text) : { mustBe: 'an absolute path' }),
  program: (text) => {
    const checked = checkLine(text);
    if ('mustBe' in checked || splitCommand(text)) return checked;
    return { mustBe: 'a program and its arguments, without shell syntax', hint: "run a shell for it: sh -c '…'" };
  },
  // The characters of a profile name need no quotes in any shell.
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
    const isSafeUrl = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
    return isSafeUrl
      ? { value: url.href.replace(/(?<!\/)\/+$/, '') }
      : { mustBe: 'an https:// address (http:// only for this machine)' };
  },
};

/** Matches one character or one quoted part of a word, but no shell syntax outside quotes. */
const wordPieceSource = /[^\s'"\\|&;<>$`~]|'[^']*'|"(?:[^"\\$`]|\\.)*"|\\./.source;
const plainCommandPattern = new RegExp(`^(?:\\s|${wordPieceSource})*$`);
const shellWordPattern = new RegExp(`(?:${wordPieceSource})+`, 'g');

/** Splits a command line with quotes and backslashes. Returns undefined for an empty line and for shell syntax. */
export function splitCommand(text: string): readonly string[] | undefined {
  if (!plainCommandPattern.test(text)) return undefined;
  const words = (text.match(shellWordPattern) ?? []).map(unquote);
  const [program] = words;
  // An assignment in front of the program is shell syntax too.
  return !program || /^\w+=/.test(program) ? undefined : words;
}

function unquote(word: string): string {
  return word.replace(
    /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/g,
    (_, single: string | undefined, double: string | undefined, sign: string) =>
      single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? sign,
  );
}
