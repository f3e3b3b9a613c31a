import type { PageHandler } from '../contract/command.ts';
import type { Reply } from '../contract/reply.ts';
import { CliError, unlessAborted } from '../errors/cli-error.ts';
import { presentReply } from '../output/result.ts';
import { type Filter, hasDataFormat, type View } from '../output/view.ts';
import type { Run } from './app.ts';
import { writeResult } from './write-result.ts';

/** True when a list can be printed while it is read, because its format and order do not need all rows. */
export function isStreamed({ format, sort }: View): boolean {
  return sort === undefined && ['tsv', 'csv', 'ndjson'].includes(format);
}

/** Prints each page when it arrives. Reading stops at the limit and when stdout is closed. */
export async function streamList(
  { view, app }: Run,
  reply: Reply = { envelope: 'rows' },
  eachPage: (take: PageHandler) => Promise<void>,
  presentEmpty = () => presentReply(reply, []),
): Promise<void> {
  const writePage = async (rows: readonly unknown[], pageView: View, presentation = presentReply(reply, rows)) => {
    const writing = writeResult({ value: rows, reply, presentation }, pageView, app).then(() => true);
    // A slow reader of stdout must not keep Ctrl-C from ending the program.
    if (!(await unlessAborted(writing, app.signal))) throw new CliError('interrupted', 'interrupted');
  };
  let rowsLeft = view.limit ?? Number.POSITIVE_INFINITY;
  let isBegun = false;
  const take = async (rows: readonly unknown[], kind?: 'failures'): Promise<boolean> => {
    const matches = view.where ? await matchingRows(rows, reply, view.where) : rows;
    const printedRows = kind && !hasDataFormat(view) ? [] : matches.slice(0, rowsLeft);
    if (printedRows.length > 0) await writePage(printedRows, isBegun ? { ...view, header: false } : view);
    isBegun ||= printedRows.length > 0;
    rowsLeft -= printedRows.length;
    return rowsLeft > 0 && !app.out.gone;
  };
  try {
    await eachPage(take);
  } catch (error) {
    if (!isBegun || !(error instanceof CliError)) throw error;
    throw error.with({}, `the list is incomplete: ${error.why}`);
  }
  if (!isBegun) await writePage([], view, presentEmpty());
}

async function matchingRows(rows: readonly unknown[], { record }: Reply, filters: readonly Filter[]) {
  const { filterItems } = await import('../output/filter-sort.ts');
  return filterItems(rows, record?.fields ?? {}, filters);
}
