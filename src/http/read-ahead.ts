import type { RowPage } from './reply.ts';

const mostPages = 8;
/** Bytes read ahead by one list; a run reads at most eight lists at once. */
const mostBytes = 2 * 1024 * 1024;

/** Reads one page; undefined requests the first page, without a number. */
export type ReadPage = (page: number | undefined) => Promise<RowPage>;

/**
 * Reads pages ahead; `lastOf` returns the last page to read. The caller gets the page that it requests. A page read
 * ahead in vain is dropped, also when it failed.
 */
export function readAhead(readPage: ReadPage, lastOf: (first: RowPage) => number): ReadPage {
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
