import { isObject } from '../contract/values/json.ts';
import type { CliError } from '../errors/cli-error.ts';
import type { RowPage } from './reply.ts';
import { tightenHeap } from './transport/response-buffer.ts';

const maxPages = 10_000;
const mebibyte = 1024 * 1024;
/** Limit of the rows held until the list is complete; with temporary data the process needs 400 MB. */
const maxHeldBytes = 192 * mebibyte;
/** An arriving page is in memory as bytes, as text and as rows. */
const copiesAtOnce = 3;

export interface Walk {
  readonly fetch: ReadPage;
  readonly limit: number | undefined;
  /** True when all rows are held until the list is complete. */
  readonly isHeld: boolean;
  /** True for a row that the filters of the request select. */
  readonly isRequested: (row: unknown) => boolean;
  /** The field that identifies a row, besides `id` and `uid`. */
  readonly keyName: string | undefined;
  readonly warn: (line: string) => void;
  readonly incomplete: (why: string) => CliError;
}

/**
 * Yields the pages of a list by following `pagination.next`, each without the rows of earlier pages. When the first
 * page names the number of pages, the others are read ahead. Throws when the list cannot be completed. `count` does not
 * decide that: the service's own examples disagree about it.
 */
export async function* walkPages(walk: Walk): AsyncGenerator<readonly unknown[], void, undefined> {
  const fetch = readAhead(walk.fetch, (first) => lastPage(first, walk.limit));
  const passed = passedRows(walk);
  let left = walk.limit ?? Number.POSITIVE_INFINITY;
  let requested: number | undefined;
  let heldBytes = 0;
  for (let pages = 0; pages < maxPages; pages += 1) {
    const page = await fetch(requested);
    const fresh = passed.freshIn(page);
    if (requested !== undefined) refuseSamePage(walk, page, requested, fresh.length);
    const rows = filterRows(fresh, walk.isRequested);
    yield rows.length > left ? rows.slice(0, left) : rows;
    left -= rows.length;
    if (left <= 0) return;
    requested = nextPage(walk, page.pagination, requested ?? 1);
    if (requested === undefined) return passed.warnOfChange();
    heldBytes += walk.isHeld ? page.bytes : 0;
    tightenHeap(heldBytes);
    // The next page is expected to have the size of this one.
    if (heldBytes + copiesAtOnce * page.bytes > maxHeldBytes)
      throw walk.incomplete(`it takes up more than ${maxHeldBytes / mebibyte} MiB`);
  }
  throw walk.incomplete(`it has more than ${maxPages} pages`);
}

/** Avoids copying a long list. */
function filterRows(rows: readonly unknown[], test: (row: unknown) => boolean): readonly unknown[] {
  return rows.every(test) ? rows : rows.filter(test);
}

function lastPage({ rows, pagination }: RowPage, limit = Number.POSITIVE_INFINITY): number {
  const { next, current = 1, pages } = pagination ?? {};
  // Such pagination is not reliable.
  if (next !== 2 || current !== 1 || typeof pages !== 'number' || rows.length === 0) return 1;
  return Math.min(pages, maxPages, Math.ceil(limit / rows.length));
}

function passedRows({ keyName, warn }: Walk) {
  const seen = new Set<string | number>();
  // Each `count` that differs from the number of rows of its page.
  const counts = new Set<number>();
  let sent = 0;
  let repeated = 0;
  return {
    /** Records a page and returns its rows that no earlier page had. */
    freshIn({ rows, count }: RowPage): readonly unknown[] {
      const isFresh = (row: unknown): boolean => !seen.has(keyOf(row, keyName) ?? '');
      const fresh = filterRows(rows, isFresh);
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
      // A count is that of the page or of the whole list; any other is worth a warning.
      const wrong = [...counts].find((count) => count !== sent);
      if (wrong !== undefined) warn(`the service announced ${wrong} rows but sent ${sent}`);
    },
  };
}

function refuseSamePage(walk: Walk, page: RowPage, requested: number, fresh: number): void {
  const current = page.pagination?.['current'];
  if (current === requested || fresh > 0) return;
  if (page.rows.length === 0 && (current === undefined || current === null)) return;
  throw walk.incomplete(`page ${requested} was requested, but another page came`);
}

function nextPage(walk: Walk, pagination: RowPage['pagination'], requested: number): number | undefined {
  const { next, current, pages } = pagination ?? {};
  if (next === undefined || next === null) {
    const known = typeof pages === 'number' && typeof current === 'number';
    if (known && pages > current) throw walk.incomplete(`the service stops at page ${current} of ${pages}`);
    return undefined;
  }
  const past = typeof current === 'number' ? Math.max(requested, current) : requested;
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
  // Most rows have a number, which needs no new string.
  if (typeof id === 'number') return id;
  const name = ['id', 'uid', keyName ?? ''].find((candidate) => isKey(row[candidate]));
  return name && `${name} ${typeof row[name]} ${String(row[name])}`;
}

function isKey(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint';
}

const mostPages = 8;
/** Bytes read ahead by one list; a run reads at most eight lists at once. */
const mostBytes = 2 * 1024 * 1024;

/** Reads one page; undefined requests the first page, without a number. */
type ReadPage = (page: number | undefined) => Promise<RowPage>;

/**
 * Reads pages ahead; `lastOf` returns the last page to read. The caller gets the page that it requests. A page read
 * ahead in vain is dropped, also when it failed.
 */
function readAhead(readPage: ReadPage, lastOf: (first: RowPage) => number): ReadPage {
  const begun = new Map<number, Promise<RowPage>>();
  const notBegun: number[] = [];
  let mostBegun = mostPages;
  const fill = (): void => {
    for (const page of notBegun.splice(0, Math.max(0, mostBegun - begun.size))) {
      const reading = readPage(page);
      reading.catch(() => undefined);
      begun.set(page, reading);
    }
  };
  const readFirst = async (): Promise<RowPage> => {
    const first = await readPage(undefined);
    mostBegun = Math.min(mostPages, Math.floor(mostBytes / Math.max(1, first.bytes)));
    const last = lastOf(first);
    for (let page = 2; page <= last; page += 1) notBegun.push(page);
    fill();
    return first;
  };
  return async (page) => {
    if (page === undefined) return readFirst();
    const found = begun.get(page) ?? readPage(page);
    begun.delete(page);
    while (notBegun[0] !== undefined && notBegun[0] <= page) notBegun.shift();
    fill();
    return found;
  };
}
