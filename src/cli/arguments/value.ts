import type { Field } from '../../contract/field.ts';
import { durationMs, meantDuration, preciseDuration } from '../../contract/values/time.ts';
import { CliError, type Correction } from '../../errors/cli-error.ts';
import { nearest } from '../../errors/nearest.ts';

const longest = 256;

/** One argument or flag value becomes the value of its field; `shown` names it in messages. Throws usage for anything unfit. */
export function readValue(text: string, field: Field & { readonly inPath?: boolean }, shown: string): unknown {
  if (text.includes('\uFFFD')) {
    throw new CliError('usage', `${shown} must be valid UTF-8; pass it by stdin or from a file`);
  }
  if (field.kind === 'integer') return readInteger(text, field, shown);
  if (field.kind === 'choice') return readChoice(text, field, shown);
  if (field.inPath) checkIdentifier(text, shown);
  if (field.maxLength !== undefined && [...text].length > field.maxLength) {
    throw new CliError('usage', `${shown} must have at most ${field.maxLength} characters, not ${[...text].length}`);
  }
  return text;
}

/** An empty value is a mistake, such as a variable that is not set, unless its field says what it means. */
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

const longDurations = '90s, 5m, 8h or 7d';
const suchDurations = { h: longDurations, s: longDurations, ms: '200ms or 2s', any: '30s or 10m' };

/** Milliseconds; throws usage for a value without a unit, with the probable correction unless its unit may be `any`. */
export function readDuration(text: string, shown: string, usual: keyof typeof suchDurations): number {
  const ms = durationMs(text);
  if (ms !== undefined) return ms;
  const by = usual === 'any' ? undefined : meantDuration(text, usual);
  const correction = by === undefined ? undefined : replaceValue(text, by, shown);
  throw new CliError('usage', `${shown} must be a duration such as ${suchDurations[usual]}, not "${text}"`, {
    correction,
  });
}

function readInteger(text: string, field: Field & { readonly inPath?: boolean }, shown: string): number | string {
  const { keywords, unit } = field;
  if (keywords?.includes(text)) return text;
  if (unit === 'ms') return checkRange(readDuration(text, shown, isShort(field) ? 'ms' : 'any'), field, text, shown);
  if (unit === 'seconds') return checkRange(Math.round(readDuration(text, shown, 'h') / 1000), field, text, shown);
  const bare = unit === 'percent' ? text.replace(/ ?%$/, '') : text;
  if (!/^(0|[1-9][0-9]{0,18})$/.test(bare)) throw notInteger(text, field, shown);
  // Ids are counted from 1.
  if (bare === '0' && field.inPath) throw new CliError('usage', `${shown} must be a whole number above 0, not "0"`);
  const value = Number(bare);
  // An id that is too long for a number stays text, so that no digit is lost.
  return Number.isSafeInteger(value) ? checkRange(value, field, text, shown) : bare;
}

function checkRange(value: number, { range, unit }: Field, text: string, shown: string): number {
  if (!range || (value >= range[0] && value <= range[1])) return value;
  const [least, most] = unit === 'ms' ? range.map(preciseDuration) : range;
  throw new CliError('usage', `${shown} must be between ${least} and ${most}, not "${text}"`);
}

function isShort({ range }: Field): boolean {
  return range !== undefined && range[1] <= 60_000;
}

function notInteger(text: string, { range, keywords = [] }: Field, shown: string): CliError {
  const number = `a whole number${range ? ` between ${range[0]} and ${range[1]}` : ''}`;
  // Not by Intl, which takes longer to load than the rest of a start of ours.
  const either = [number, ...keywords.slice(0, -1)].join(', ');
  const wanted = [either, ...keywords.slice(-1)].join(' or ');
  return new CliError('usage', `${shown} must be ${wanted}, not "${text}"`);
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
  // It stands in an address: nothing in it may climb out of its place or end it.
  if (text === '.' || text === '..') throw new CliError('usage', `${shown} must be an identifier, not "${text}"`);
  if (text.length > longest)
    throw new CliError('usage', `${shown} must have at most ${longest} characters, not ${text.length}`);
  if (!text.isWellFormed()) throw new CliError('usage', `${shown} must be valid text`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\u0000-\u001f\u007f-\u009f/\\?#%;]/.test(text)) {
    throw new CliError(
      'usage',
      `${shown} must be an identifier without / \\ ? # % ; or control characters, not ${JSON.stringify(text)}`,
    );
  }
}
