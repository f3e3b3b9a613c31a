import { type Field, type Fields, isField } from '../contract/field.ts';
import { isObject, readableValue } from '../contract/values/json.ts';
import { isSameCommit } from '../contract/values/text.ts';
import { readInstant } from '../contract/values/time.ts';
import { CliError } from '../errors/cli-error.ts';
import { nearest } from '../errors/nearest.ts';
import { fieldAt, sortPath, valueAtPath } from './field-path.ts';
import type { Filter, View } from './view.ts';

/** Throws `usage` for a filter whose value the field cannot have, or cannot be compared with by `<` or `>`. */
export function checkFilter({ path, operator, value }: Filter, fields: Fields): void {
  const field = fieldAt(fields, path);
  if (operator === '=' || operator === '!=') requireKnownWord(path, value, field);
  if (operator !== '<' && operator !== '>') return;
  const refuseValue = (allowed: string) => {
    throw new CliError('usage', `--where ${path} must be compared with ${allowed}, not "${value}"`);
  };
  if (field?.kind === 'instant' && timestampOf(value) === undefined) refuseValue('a time such as 2026-05-04');
  if (field?.kind === 'integer' && numberOf(value) === undefined) refuseValue('a number');
}

function requireKnownWord(path: string, value: string, field: Field | undefined): void {
  const words = field ? knownWords(field) : [];
  // A code that has no word here is allowed, because it may be newer than our list of words.
  const isCode = ['integer', 'group'].includes(field?.kind ?? '') && /^\d+$/.test(value);
  if (words.length === 0 || value === '' || isCode || words.includes(value)) return;
  // An unknown word is refused: it would match nothing, and the empty list would look like a result.
  const closestWord = nearest(value, words);
  const suggestion = closestWord === undefined ? '' : ` (did you mean ${closestWord}?)`;
  throw new CliError('usage', `--where ${path} must be one of ${words.join(', ')}, not "${value}"${suggestion}`);
}

/** Returns the words that a field can have; empty if it can have any value. */
export function knownWords({ kind, meanings, choices, of }: Field): readonly string[] {
  if (kind === 'flag') return ['true', 'false', 'yes', 'no'];
  if (meanings || choices) return (meanings ?? choices ?? []).filter((word) => word !== '-');
  if (kind === 'many' && isField(of)) return knownWords(of);
  // `code` and `meaning` of an outcome accept the same words, so duplicates are removed.
  return kind === 'group' && of ? [...new Set(Object.values(of).flatMap(knownWords))] : [];
}

/** Returns the items that match all filters. The row of a stack that could not be read always stays. */
export function filterItems<T>(items: readonly T[], fields: Fields, filters: readonly Filter[] = []): readonly T[] {
  if (filters.length === 0) return items;
  return items.filter((item) => isUnreadStackRow(item) || filters.every((one) => matchesFilter(item, fields, one)));
}

/** True for the row of a stack that could not be read. Such a row has only the stack's name and the error. */
export function isUnreadStackRow(item: unknown): boolean {
  return isObject(item) && isObject(item['error']) && Object.keys(item).join() === 'stack,error';
}

function matchesFilter(item: unknown, fields: Fields, { path, operator, value }: Filter): boolean {
  const field = fieldAt(fields, path);
  const values = textsOfValue(isObject(item) ? valueAtPath(fields, item, path) : undefined, field);
  if (operator === '!=') return !values.some((text) => equals(text, value, field));
  if (operator === '=') return values.length === 0 ? value === '' : values.some((text) => equals(text, value, field));
  if (operator === '~') return values.some((text) => text.toLowerCase().includes(value.toLowerCase()));
  const sign = operator === '<' ? -1 : 1;
  return values.some((text) => compare(text, value, field) === sign);
}

function textsOfValue(sentValue: unknown, field: Field | undefined): readonly string[] {
  const value = readableValue(sentValue);
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => textsOfValue(item, field));
  if (isObject(value)) return Object.values(value).flatMap((member) => textsOfValue(member, undefined));
  const word = field?.meanings?.[Number(value)];
  if (typeof value === 'boolean') return [String(value), value ? 'yes' : 'no'];
  return [String(value), ...(word === undefined ? [] : [word])];
}

function equals(text: string, value: string, field: Field | undefined): boolean {
  if (field?.isCommit && isSameCommit(text, value)) return true;
  return text === value || (field?.kind === 'instant' && compare(text, value, field) === 0);
}

function compare(text: string, value: string, field: Field | undefined): number | undefined {
  const readNumber = numberOf(value) === undefined ? (text: string) => text : numberOf;
  const readValue = field?.kind === 'instant' ? timestampOf : readNumber;
  const [left, right] = [readValue(text), readValue(value)];
  if (left === undefined || right === undefined) return undefined;
  return left < right ? -1 : Number(left > right);
}

function numberOf(text: string): number | bigint | undefined {
  if (/^-?\d+$/.test(text)) return BigInt(text);
  return /^-?\d+\.\d+$/.test(text) ? Number(text) : undefined;
}

function timestampOf(text: string): number | undefined {
  // A date without a time means midnight UTC.
  return readInstant(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text)?.getTime();
}

type Selection = Pick<View, 'where' | 'sort' | 'limit'>;

/** Filters, sorts and limits items. Numbers are sorted by size, instants by time; items without a value come last. */
export function arrangeItems<T>(items: readonly T[], fields: Fields, { where, sort, limit }: Selection): readonly T[] {
  const matchingItems = filterItems(items, fields, where);
  return (sort === undefined ? matchingItems : sortItems(matchingItems, fields, sort)).slice(0, limit);
}

type SortKey = string | number | bigint | undefined;

function sortItems<T>(items: readonly T[], fields: Fields, sort: string): readonly T[] {
  const path = sortPath(sort);
  const sign = sort.startsWith('-') ? -1 : 1;
  const isInstant = fieldAt(fields, path)?.kind === 'instant';
  return items
    .map((item) => ({ item, key: sortKey(isObject(item) ? valueAtPath(fields, item, path) : item, isInstant) }))
    .toSorted((a, b) => compareKeys(a.key, b.key, sign))
    .map(({ item }) => item);
}

function compareKeys(a: SortKey, b: SortKey, sign: number): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  if (a === b) return 0;
  // Some columns, such as the values of settings, have both numbers and texts. Numbers come first.
  const isSmaller = (typeof a === 'string') === (typeof b === 'string') ? a < b : typeof b === 'string';
  return isSmaller ? -sign : sign;
}

function sortKey(sentValue: unknown, isInstant: boolean): SortKey {
  const value = readableValue(sentValue);
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return isInstant ? readInstant(value)?.getTime() : value;
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  if (typeof value === 'boolean') return Number(value);
  if (Array.isArray(value)) return value.map((item) => sortKey(item, isInstant)).join(', ');
  return isObject(value) ? sortKey(value['meaning'] ?? value['code'] ?? Object.values(value)[0], isInstant) : undefined;
}
