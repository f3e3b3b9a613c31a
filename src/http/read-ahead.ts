import type { RowPage } from './reply.ts';

const mebibyte = 1024 * 1024;
const mostPages = 8;
/** Of all pages that one list has in hand. */
const mostBytes = 16 * mebibyte;

/** The pages that the lists of one run may have in hand before they are wanted: at most eight. */
export interface PageRoom {
  pages: number;
}

export function pageRoom(): PageRoom {
  return { pages: mostPages };
}

/** Reads one page; undefined for the first, which is asked for without a number. */
export type ReadPage = (page: number | undefined) => Promise<RowPage>;

export interface PageReader {
  /** The page; it may have been read already. */
  readonly read: ReadPage;
  /** Begins to read the pages up to this one, as far as there is room; `page` is one of them, for its size. */
  expect(last: number, page: RowPage): void;
  /** Gives back the room of pages that nobody wants any more. */
  stop(): void;
}

/**
 * Reads pages before they are wanted. It decides nothing: whoever asks gets the page of that number, and a page that is
 * never asked for leaves no trace, not even by its failure.
 */
export function readAhead(readPage: ReadPage, room: PageRoom): PageReader {
  const begun = new Map<number, Promise<RowPage>>();
  let next = 2;
  let last = 1;
  let mostBegun = mostPages;
  let inHand = 0;
  const fill = (): void => {
    for (; next <= last && room.pages > 0 && begun.size < mostBegun; next += 1) {
      const reading = readPage(next);
      reading.catch(() => undefined);
      begun.set(next, reading);
      room.pages -= 1;
    }
  };
  const giveBack = (pages: number): void => {
    room.pages += pages;
    inHand = 0;
  };
  return {
    async read(page) {
      // Who asks for a page is done with the one before.
      giveBack(inHand);
      const reading = page === undefined ? undefined : begun.get(page);
      if (page === undefined || !reading) {
        next = Math.max(next, (page ?? 1) + 1);
        const alone = readPage(page);
        fill();
        return alone;
      }
      begun.delete(page);
      inHand = 1;
      fill();
      return reading;
    },
    expect(upTo, { bytes }) {
      last = upTo;
      mostBegun = Math.min(mostPages, Math.floor(mostBytes / Math.max(1, bytes)));
      fill();
    },
    stop: () => {
      last = 0;
      giveBack(inHand + begun.size);
      begun.clear();
    },
  };
}
