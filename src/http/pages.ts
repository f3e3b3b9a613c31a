import { isObject } from '../contract/values/json.ts';
import type { CliError } from '../errors/cli-error.ts';
import type { RowPage } from './reply.ts';
import { tightenHeap } from './transport/response-buffer.ts';

const maxPages = 10_000;
const mebibyte = 1024 * 1024;
/** Maximum size of the rows held until the list is complete. With its temporary data the process then uses 400 MB. */
const maxHeldBytes = 192 * mebibyte;
/** Number of copies of an arriving page in memory: as bytes, as text and as rows. */
const copiesPerPage = 3;

export interface PageWalk {
  readonly fetchPage: ReadPage;
  readonly limit: number | undefined;
  /** True if the caller holds all rows in memory until the list is complete. */
  readonly isHeld: boolean;
  /** True for a row that the filters of the request select. */
  readonly isRequested: (row: unknown) => boolean;
  /** The field that identifies a row, besides `id` and `uid`. */
  readonly keyName: string | undefined;
  readonly warn: (line: string) => void;
  readonly incompleteError: (why: string) => CliError;
}

/**
 * Yields the rows of each page, except rows of earlier pages. Throws `incompleteError` for an incomplete list. A
 * different `count` is no error, because the service's own examples disagree about its meaning.
 */
export async function* walkPages(walk: PageWalk): AsyncGenerator<readonly unknown[], void, undefined> {
  const readPage = withReadAhead(walk);
  const tracker = createRowTracker(walk);
  let rowsLeft = walk.limit ?? Number.POSITIVE_INFINITY;
  let requestedPage: number | undefined;
  let heldBytes = 0;
  for (let pagesRead = 0; pagesRead < maxPages; pagesRead += 1) {
    const page = await readPage(requestedPage);
    const freshRows = tracker.recordFreshRows(page);
    if (requestedPage !== undefined) refuseWrongPage(walk, page, requestedPage, freshRows.length);
    const rows = filterRows(freshRows, walk.isRequested);
    yield rows.length > rowsLeft ? rows.slice(0, rowsLeft) : rows;
    rowsLeft -= rows.length;
    if (rowsLeft <= 0) return;
    requestedPage = nextPage(walk, page.pagination, requestedPage ?? 1);
    if (requestedPage === undefined) return tracker.warnOfChange();
    heldBytes += walk.isHeld ? page.memoryBytes : 0;
    tightenHeap(heldBytes);
    // The next page probably has the size of this page, so its copies are counted before it is read.
    if (heldBytes + copiesPerPage * page.memoryBytes > maxHeldBytes)
      throw walk.incompleteError(`it takes up more than ${maxHeldBytes / mebibyte} MiB`);
  }
  throw walk.incompleteError(`it has more than ${maxPages} pages`);
}

/** Returns the rows that pass the test. If all rows pass, returns `rows` itself, so that a long list is not copied. */
function filterRows(rows: readonly unknown[], test: (row: unknown, at: number) => boolean): readonly unknown[] {
  return rows.every(test) ? rows : rows.filter(test);
}

function lastPageAhead({ rows, pagination }: RowPage, limit = Number.POSITIVE_INFINITY): number {
  const { next, current = 1, pages } = pagination ?? {};
  // Without these numbers the last page is unknown. 1 means that no page is read ahead.
  if (next !== 2 || current !== 1 || typeof pages !== 'number' || rows.length === 0) return 1;
  return Math.min(pages, maxPages, Math.ceil(limit / rows.length));
}

function createRowTracker({ keyName, warn }: PageWalk) {
  const seenKeys = new Set<string | number>();
  // Each `count` that differs from the number of rows on its page.
  const differingCounts = new Set<number>();
  let sentRowCount = 0;
  let repeatedRowCount = 0;
  return {
    recordFreshRows({ rows, count }: RowPage): readonly unknown[] {
      const keys = rows.map((row) => keyOf(row, keyName));
      const freshRows = filterRows(rows, (_, at) => !seenKeys.has(keys[at] ?? ''));
      for (const key of keys) if (key !== undefined) seenKeys.add(key);
      sentRowCount += rows.length;
      repeatedRowCount += rows.length - freshRows.length;
      if (count !== undefined && count !== rows.length) differingCounts.add(count);
      return freshRows;
    },
    warnOfChange(): void {
      if (repeatedRowCount > 0)
        warn(`${repeatedRowCount} rows came on more than one page and are shown once; the list changed meanwhile`);
      // `count` may mean the rows of its page or of the whole list. A number that fits neither is worth a warning.
      const wrongCount = [...differingCounts].find((count) => count !== sentRowCount);
      if (wrongCount !== undefined) warn(`the service announced ${wrongCount} rows but sent ${sentRowCount}`);
    },
  };
}

function refuseWrongPage(walk: PageWalk, page: RowPage, requestedPage: number, freshRowCount: number): void {
  const current = page.pagination?.['current'];
  if (current === requestedPage || freshRowCount > 0) return;
  if (page.rows.length === 0 && (current === undefined || current === null)) return;
  throw walk.incompleteError(`page ${requestedPage} was requested, but another page came`);
}

function nextPage(walk: PageWalk, pagination: RowPage['pagination'], requestedPage: number): number | undefined {
  const { next, current, pages } = pagination ?? {};
  if (next === undefined || next === null) {
    if (typeof pages === 'number' && typeof current === 'number' && pages > current)
      throw walk.incompleteError(`the service stops at page ${current} of ${pages}`);
    return undefined;
  }
  const lastPageRead = typeof current === 'number' ? Math.max(requestedPage, current) : requestedPage;
  if (typeof next !== 'number' || !Number.isSafeInteger(next) || next <= lastPageRead) {
    throw walk.incompleteError(`after page ${lastPageRead} the service names ${describeNext(next)} as the next`);
  }
  return next;
}

function describeNext(next: unknown): string {
  return typeof next === 'number' || typeof next === 'bigint' ? `page ${next}` : 'something that is not a page number';
}

function keyOf(row: unknown, keyName: string | undefined): string | number | undefined {
  if (!isObject(row)) return undefined;
  const { id } = row;
  // The ID of most rows is a number. It is used as it is, because making a string for each row would take time.
  if (typeof id === 'number') return id;
  const name = ['id', 'uid', keyName ?? ''].find((candidate) => keyTypes.includes(typeof row[candidate]));
  return name && `${name} ${typeof row[name]} ${String(row[name])}`;
}

const keyTypes = ['string', 'number', 'bigint'];

const maxPagesAhead = 8;
/** Maximum bytes that one list reads ahead. A run reads at most eight lists at once. */
const maxBytesAhead = 2 * 1024 * 1024;

type ReadPage = (page: number | undefined) => Promise<RowPage>;

/** Returns a reader that reads ahead up to `lastPageAhead`. A page that nobody requests is dropped, even if it failed. */
function withReadAhead({ fetchPage, limit }: PageWalk): ReadPage {
  const pageReads = new Map<number, Promise<RowPage>>();
  const waitingPages: number[] = [];
  let maxPageReads = maxPagesAhead;
  const startPageReads = (): void => {
    for (const page of waitingPages.splice(0, Math.max(0, maxPageReads - pageReads.size))) {
      const pageRead = fetchPage(page);
      pageRead.catch(() => undefined);
      pageReads.set(page, pageRead);
    }
  };
  return async (page) => {
    if (page === undefined) {
      const firstPage = await fetchPage(undefined);
      maxPageReads = Math.min(maxPagesAhead, Math.floor(maxBytesAhead / Math.max(1, firstPage.memoryBytes)));
      const last = lastPageAhead(firstPage, limit);
      for (let ahead = 2; ahead <= last; ahead += 1) waitingPages.push(ahead);
      startPageReads();
      return firstPage;
    }
    const pageRead = pageReads.get(page) ?? fetchPage(page);
    pageReads.delete(page);
    while (waitingPages[0] !== undefined && waitingPages[0] <= page) waitingPages.shift();
    startPageReads();
    return pageRead;
  };
}
