import type { Problem } from '../problems/problem.ts';
import { isObject } from './complaint.ts';
import type { RowPage } from './reply.ts';

const maxPages = 10_000;
const mebibyte = 1024 * 1024;
/** Of rows that are kept until the list is complete. */
const maxKeptBytes = 256 * mebibyte;

export interface Walk {
  /** Reads one page; undefined for the first, which is asked for without a number. */
  readonly fetch: (page: number | undefined) => Promise<RowPage>;
  /** Rows to stop at. */
  readonly limit: number | undefined;
  /** The field by which a row is known, besides `id` and `uid`. */
  readonly keyName: string | undefined;
  readonly warn: (line: string) => void;
  /** Makes the problem for a list that cannot be read as a whole. */
  readonly incomplete: (why: string) => Problem;
}

/**
 * All rows of a list by following `pagination.next` alone; a list that cannot be completed is a problem, never a part.
 * `count` is no judge of that: the service's own examples disagree about it.
 */
export async function walkPages(walk: Walk): Promise<readonly unknown[]> {
  const gathered: Gathered = { rows: [], seen: new Set(), repeated: 0 };
  const limit = walk.limit ?? Number.POSITIVE_INFINITY;
  let asked: number | undefined;
  let kept = 0;
  for (let pages = 0; pages < maxPages; pages += 1) {
    const page = await walk.fetch(asked);
    kept += page.bytes;
    const fresh = gather(gathered, page.rows, walk.keyName);
    if (asked !== undefined) refuseSamePage(walk, { page, asked, fresh });
    if (gathered.rows.length >= limit) return gathered.rows.slice(0, limit);
    asked = nextPage(walk, page.pagination, asked ?? 1);
    if (asked === undefined) return wholeList(walk, gathered);
    // The next page is taken to be like this one: by the time it is known, it is in memory.
    if (kept + page.bytes > maxKeptBytes) throw walk.incomplete(`it takes up more than ${maxKeptBytes / mebibyte} MiB`);
  }
  throw walk.incomplete(`it has more than ${maxPages} pages`);
}

interface Gathered {
  readonly rows: unknown[];
  /** Keys of the rows of earlier pages. */
  readonly seen: Set<string>;
  repeated: number;
}

/** Adds the rows that no earlier page had and returns how many those were. */
function gather(gathered: Gathered, rows: readonly unknown[], keyName: string | undefined): number {
  const before = gathered.rows.length;
  for (const row of rows) if (!gathered.seen.has(keyOf(row, keyName) ?? '')) gathered.rows.push(row);
  for (const row of rows) {
    const key = keyOf(row, keyName);
    if (key !== undefined) gathered.seen.add(key);
  }
  const fresh = gathered.rows.length - before;
  gathered.repeated += rows.length - fresh;
  return fresh;
}

function wholeList({ warn }: Walk, { rows, repeated }: Gathered): readonly unknown[] {
  if (repeated > 0) warn(`${repeated} rows came on more than one page and are shown once; the list changed meanwhile`);
  return rows;
}

interface Arrival {
  readonly page: RowPage;
  readonly asked: number;
  readonly fresh: number;
}

function refuseSamePage(walk: Walk, { page, asked, fresh }: Arrival): void {
  const current = page.pagination?.['current'];
  if (current === asked || fresh > 0) return;
  if (page.rows.length === 0 && (current === undefined || current === null)) return;
  throw walk.incomplete(`page ${asked} was asked for and another one came`);
}

function nextPage(walk: Walk, pagination: RowPage['pagination'], asked: number): number | undefined {
  const { next, current, pages } = pagination ?? {};
  if (next === undefined || next === null) {
    const known = typeof pages === 'number' && typeof current === 'number';
    if (known && pages > current) throw walk.incomplete(`the service stops at page ${current} of ${pages}`);
    return undefined;
  }
  const past = typeof current === 'number' ? Math.max(asked, current) : asked;
  if (typeof next !== 'number' || !Number.isSafeInteger(next) || next <= past) {
    throw walk.incomplete(`after page ${past} the service names ${describeNext(next)} as the next`);
  }
  return next;
}

function describeNext(next: unknown): string {
  return typeof next === 'number' || typeof next === 'bigint' ? `page ${next}` : 'something that is not a page number';
}

function keyOf(row: unknown, keyName: string | undefined): string | undefined {
  if (!isObject(row)) return undefined;
  const name = ['id', 'uid', keyName ?? ''].find((candidate) => isKey(row[candidate]));
  return name && `${name} ${typeof row[name]} ${String(row[name])}`;
}

function isKey(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint';
}
