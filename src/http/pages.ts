import { isObject } from '../contract/values/json-object.ts';
import type { CliError } from '../errors/cli-error.ts';
import { type ReadPage, readAhead } from './read-ahead.ts';
import type { RowPage } from './reply.ts';
import { tightenHeap } from './transport/tight-heap.ts';

const maxPages = 10_000;
const mebibyte = 1024 * 1024;
/** Of rows that are kept until the list is complete: with what comes and goes meanwhile, 400 MB in all. */
const maxKeptBytes = 192 * mebibyte;
/** Of a page that arrives: its bytes, its text and its rows. */
const copiesAtOnce = 3;

export interface Walk {
  readonly fetch: ReadPage;
  readonly limit: number | undefined;
  /** Whether all its rows are held until the list is complete. */
  readonly isKept: boolean;
  /** False for a row that was not asked for. */
  readonly isWanted: (row: unknown) => boolean;
  /** The field by which a row is known, besides `id` and `uid`. */
  readonly keyName: string | undefined;
  readonly warn: (line: string) => void;
  readonly incomplete: (why: string) => CliError;
}

/**
 * The pages of a list by following `pagination.next` alone, each without the rows that came before. Where the first page
 * says how many there are, the others are read ahead of that; elsewhere each is asked for when it is wanted. Throws where
 * the list cannot be completed. `count` is no judge of that: the service's own examples disagree about it.
 */
export async function* walkPages(walk: Walk): AsyncGenerator<readonly unknown[], void, undefined> {
  const fetch = readAhead(walk.fetch, (first) => lastPage(first, walk.limit));
  const passed = passedRows(walk);
  let left = walk.limit ?? Number.POSITIVE_INFINITY;
  let asked: number | undefined;
  let kept = 0;
  for (let pages = 0; pages < maxPages; pages += 1) {
    const page = await fetch(asked);
    const fresh = passed.freshIn(page);
    if (asked !== undefined) refuseSamePage(walk, page, asked, fresh.length);
    const wanted = fresh.every(walk.isWanted) ? fresh : fresh.filter(walk.isWanted);
    yield wanted.length > left ? wanted.slice(0, left) : wanted;
    left -= wanted.length;
    if (left <= 0) return;
    asked = nextPage(walk, page.pagination, asked ?? 1);
    if (asked === undefined) return passed.warnOfChange();
    kept += walk.isKept ? page.bytes : 0;
    tightenHeap(kept);
    // The next page is taken to be like this one.
    if (kept + copiesAtOnce * page.bytes > maxKeptBytes)
      throw walk.incomplete(`it takes up more than ${maxKeptBytes / mebibyte} MiB`);
  }
  throw walk.incomplete(`it has more than ${maxPages} pages`);
}

function lastPage({ rows, pagination }: RowPage, limit = Number.POSITIVE_INFINITY): number {
  const { next, current = 1, pages } = pagination ?? {};
  // Nothing that could be relied on.
  if (next !== 2 || current !== 1 || typeof pages !== 'number' || rows.length === 0) return 1;
  return Math.min(pages, maxPages, Math.ceil(limit / rows.length));
}

function passedRows({ keyName, warn }: Walk) {
  const seen = new Set<string | number>();
  // What `count` said where that is not the number of rows of its page.
  const counts = new Set<number>();
  let sent = 0;
  let repeated = 0;
  return {
    /** Takes note of a page and returns those of its rows that no earlier one had. */
    freshIn({ rows, count }: RowPage): readonly unknown[] {
      const isFresh = (row: unknown): boolean => !seen.has(keyOf(row, keyName) ?? '');
      const fresh = rows.every(isFresh) ? rows : rows.filter(isFresh);
      for (const row of rows) {
        const key = keyOf(row, keyName);
        if (key !== undefined) seen.add(key);
      }
      sent += rows.length;
      repeated += rows.length - fresh.length;
      if (count !== undefined && count !== rows.length) counts.add(count);
      return fresh;
    },
    warnOfChange(): void {
      if (repeated > 0)
        warn(`${repeated} rows came on more than one page and are shown once; the list changed meanwhile`);
      // A count may be that of the page or of the whole list; one that is neither says that something is amiss.
      const wrong = [...counts].find((count) => count !== sent);
      if (wrong !== undefined) warn(`the service announced ${wrong} rows but sent ${sent}`);
    },
  };
}

function refuseSamePage(walk: Walk, page: RowPage, asked: number, fresh: number): void {
  const current = page.pagination?.['current'];
  if (current === asked || fresh > 0) return;
  if (page.rows.length === 0 && (current === undefined || current === null)) return;
  throw walk.incomplete(`page ${asked} was requested, but another page came`);
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

function keyOf(row: unknown, keyName: string | undefined): string | number | undefined {
  if (!isObject(row)) return undefined;
  const { id } = row;
  // By far the most are known by a number, which takes up nothing.
  if (typeof id === 'number') return id;
  const name = ['id', 'uid', keyName ?? ''].find((candidate) => isKey(row[candidate]));
  return name && `${name} ${typeof row[name]} ${String(row[name])}`;
}

function isKey(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint';
}
