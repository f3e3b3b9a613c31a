import type { Fields } from '../contract/field.ts';
import { isObject } from '../contract/values/json-object.ts';
import { readableValue } from '../contract/values/sent.ts';
import { readInstant } from '../contract/values/time.ts';
import { sortPath } from './columns.ts';
import { fieldAt, valueAtPath } from './field-path.ts';
import type { View } from './view.ts';
import { matching } from './where.ts';

/** Filters, sorts (numbers by size, instants by time, items without a value last) and limits items. */
export function arrange<T>(
  items: readonly T[],
  fields: Fields,
  { where, sort, limit }: Pick<View, 'where' | 'sort' | 'limit'>,
): readonly T[] {
  const matches = matching(items, fields, where);
  return (sort === undefined ? matches : sorted(matches, fields, sort)).slice(0, limit);
}

type SortKey = string | number | bigint | undefined;

function sorted<T>(items: readonly T[], fields: Fields, sort: string): readonly T[] {
  const path = sortPath(sort);
  const sign = sort.startsWith('-') ? -1 : 1;
  const isInstant = fieldAt(fields, path)?.kind === 'instant';
  return items
    .map((item) => ({ item, key: sortKey(isObject(item) ? valueAtPath(fields, item, path) : item, isInstant) }))
    .toSorted((a, b) => compare(a.key, b.key, sign))
    .map(({ item }) => item);
}

function compare(a: SortKey, b: SortKey, sign: number): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  if (a === b) return 0;
  // Numbers before texts: the values of settings may be either.
  const isFirst = (typeof a === 'string') === (typeof b === 'string') ? a < b : typeof b === 'string';
  return isFirst ? -sign : sign;
}

function sortKey(sent: unknown, isInstant: boolean): SortKey {
  const value = readableValue(sent);
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return isInstant ? readInstant(value)?.getTime() : value;
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  if (typeof value === 'boolean') return Number(value);
  if (Array.isArray(value)) return value.map((item) => sortKey(item, isInstant)).join(', ');
  return isObject(value) ? sortKey(value['meaning'] ?? value['code'] ?? Object.values(value)[0], isInstant) : undefined;
}
