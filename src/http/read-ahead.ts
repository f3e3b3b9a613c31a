import type { RowPage } from './reply.ts';

const mebibyte = 1024 * 1024;
const mostPages = 8;
/** Of all pages that one list has in hand. */
const mostBytes = 16 * mebibyte;

export type PageRoom = ReturnType<typeof pageRoom>;

/** The pages that the lists of one run may have in hand before they are wanted: at most eight. */
export function pageRoom() {
  return { pages: mostPages };
}

/** Reads one page; undefined for the first, which is asked for without a number. */
export type ReadPage = (page: number | undefined) => Promise<RowPage>;

/**
 * Reads pages before they are wanted, as far as there is room and `lastOf` the first page says how many there are.
 * Whoever asks gets the page of that number, and a page that is never asked for leaves no trace, not even by its failure.
 */
export function readAhead(readPage: ReadPage, room: PageRoom, lastOf: (first: RowPage) => number) {
  const begun = new Map<number, Promise<RowPage>>();
  const notBegun: number[] = [];
  let mostBegun = mostPages;
  /** Pages that were begun and are being read by whoever asked: none or one. */
  let inHand = 0;
  const fill = (): void => {
    const free = Math.min(room.pages, mostBegun - begun.size);
    for (const page of notBegun.splice(0, Math.max(0, free))) {
      const reading = readPage(page);
      reading.catch(() => undefined);
      begun.set(page, reading);
      room.pages -= 1;
    }
  };
  const giveBack = (pages: number): void => {
    room.pages += pages;
    inHand = 0;
  };
  const readFirst = async (): Promise<RowPage> => {
    const first = await readPage(undefined);
    mostBegun = Math.min(mostPages, Math.floor(mostBytes / Math.max(1, first.bytes)));
    const last = lastOf(first);
    for (let page = 2; page <= last; page += 1) notBegun.push(page);
    fill();
    return first;
  };
  const read: ReadPage = async (page) => {
    if (page === undefined) return readFirst();
    // Who asks for a page is done with the one before.
    giveBack(inHand);
    const found = begun.get(page) ?? readPage(page);
    if (begun.delete(page)) inHand = 1;
    while (notBegun[0] !== undefined && notBegun[0] <= page) notBegun.shift();
    fill();
    return found;
  };
  return {
    read,
    /** Gives back the room of pages that nobody wants any more. */
    stop: (): void => {
      notBegun.length = 0;
      giveBack(inHand + begun.size);
      begun.clear();
    },
  };
}
