import type { TakePage } from '../contract/command.ts';
import type { Reply } from '../contract/reply.ts';
import { CliError } from '../errors/cli-error.ts';
import { unlessAborted } from '../errors/unreadable.ts';
import { presentReply } from '../output/present-reply.ts';
import { showsData, type View } from '../output/view.ts';
import { matching } from '../output/where.ts';
import type { App, Run } from './app.ts';
import { writeResult } from './write-result.ts';

/** Whether a list is written while it is read: where no form, no order and no sum needs all of it. */
export function isStreamed({ format, sort }: View): boolean {
  return sort === undefined && ['tsv', 'csv', 'ndjson'].includes(format);
}

/** Writes each page of a list when it has come; stops reading at the limit, and when nobody reads what is written. */
export async function streamList(
  { view, app }: Run,
  reply: Reply = { envelope: 'rows' },
  eachPage: (take: TakePage) => Promise<void>,
): Promise<void> {
  const write = (rows: readonly unknown[], form: View) =>
    unlessStopped(writeResult({ value: rows, reply, presentation: presentReply(reply, rows) }, form, app), app);
  let left = view.limit ?? Number.POSITIVE_INFINITY;
  let isBegun = false;
  const take = async (rows: readonly unknown[], kind?: 'failures'): Promise<boolean> => {
    const kept = matching(rows, (reply.record ?? { fields: {} }).fields, view.where);
    const shown = kind && !showsData(view) ? [] : kept.slice(0, left);
    if (shown.length > 0) await write(shown, isBegun ? { ...view, header: false } : view);
    isBegun ||= shown.length > 0;
    left -= shown.length;
    return left > 0 && !app.out.gone;
  };
  try {
    await eachPage(take);
  } catch (error) {
    if (!isBegun || !(error instanceof CliError)) throw error;
    throw new CliError(error.kind, `the list is incomplete: ${error.why}`, error.details);
  }
  if (!isBegun) await write([], view);
}

async function unlessStopped(writing: Promise<void>, { signal }: App): Promise<void> {
  // A reader that takes its time must not keep Ctrl-C from ending the program.
  const isWritten = await unlessAborted(
    writing.then(() => true),
    signal,
  );
  if (!isWritten) throw new CliError('interrupted', 'interrupted');
}
