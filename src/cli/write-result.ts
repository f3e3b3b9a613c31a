import type { PageHandler } from '../contract/command.ts';
import type { CommandLine } from '../contract/command-line.ts';
import type { Row } from '../contract/record.ts';
import type { Reply } from '../contract/reply.ts';
import { isObject, jsonText } from '../contract/values/json.ts';
import { CliError, rethrowAs, tryOrWarn, unlessAborted, whyText } from '../errors/cli-error.ts';
import { maskUnlessRevealed, renderResult } from '../output/render.ts';
import { presentReply, print, type Result } from '../output/result.ts';
import { type Filter, hasDataFormat, type View } from '../output/view.ts';
import type { App, Run } from './app.ts';

/** Prints a result to stdout and its undo to stderr, and records the undo in the journal. */
export async function showResult(run: Run, result: Result): Promise<void> {
  const { session, app, view } = run;
  const { warn } = run.say;
  const { presentation } = result;
  const { undo = [], undoByName = undo, undoHoldsSecret } = presentation.kind === 'done' ? presentation : {};
  const nextStep = 'next' in presentation ? presentation.next : undefined;
  const undoLine = await pasteableLine(run, undoByName);
  if (undoLine !== undefined && !undoHoldsSecret) {
    await tryOrWarn(warn, 'its undo could not be recorded in the journal', async () =>
      (await session.changeRunner()).recordUndo(undo),
    );
  }
  await writeResult(result, view, app).catch(async (error: unknown) => {
    const { value } = await maskUnlessRevealed(result, view);
    if (!(await session.changeRunner()).wereChangesSent()) throw error;
    // The change was made although its result cannot be printed. The id in the result must not be lost.
    if (error instanceof CliError) throw afterChangeError(error, value);
    warn(`the result could not be presented: ${whyText(error)}`);
    if (presentation.kind !== 'done' || hasDataFormat(view)) return app.out.lines([jsonText(value)]);
    if (!view.quiet) await app.out.lines(presentation.lines);
  });
  if (app.call && undoLine !== undefined) await app.err.json({ undo: undoLine });
  if (view.quiet || hasDataFormat(view)) return;
  const nextLine = nextStep && (await pasteableLine(run, nextStep.command));
  await app.err.lines([
    ...(undoLine === undefined ? [] : [{ label: 'undo:', text: undoLine }]),
    ...(nextStep && nextLine !== undefined ? [{ label: `${nextStep.about}:`, text: nextLine }] : []),
  ]);
}

async function pasteableLine({ session, app, say }: Run, commands: readonly CommandLine[]) {
  if (commands.length === 0) return undefined;
  return tryOrWarn(say.warn, 'the next command could not be shown', async () => {
    const { commandText } = await import('../contract/command-line.ts');
    const line = commandText(commands, session.destination());
    // A line with a credential, which `visible` would change, is not printed.
    return line !== undefined && app.err.visible(line) === line ? line : undefined;
  });
}

function afterChangeError(error: CliError, value: unknown): CliError {
  const ids = idsOf(value);
  const idsText = ids.length === 0 ? '' : ` (${ids.join(', ')})`;
  return error.with({}, `${error.message}; the change was made${idsText}`);
}

function idsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(idsOf);
  if (!isObject(value)) return [];
  const { id, action } = value;
  if (typeof id === 'number') return ['started_via' in value ? `action ${id}` : `id ${id}`];
  return isObject(action) ? idsOf(action) : [];
}

export async function writeResult(result: Result, view: View, app: App): Promise<void> {
  // Node handles no signal while jq runs, so a signal must end the process at once.
  if (view.jq !== undefined && !(await app.releaseSignals())) {
    throw new CliError('interrupted', 'interrupted before the --jq expression was run');
  }
  await print(await renderResult(result, view), app);
}

/** Prints one event of a long command in JSON or YAML output. Human-readable output has the command's notes instead. */
export async function printEvent({ app, view, line }: Run, row: Row): Promise<void> {
  if (!hasDataFormat(view)) return;
  // An event is one item of a list in YAML, or one line of JSON.
  const eventView = view.format === 'json' ? ({ ...view, format: 'ndjson' } as const) : view;
  const value = view.format === 'yaml' ? [row] : row;
  await writeResult({ value, reply: line.command.output.reply, presentation: { kind: 'nothing' } }, eventView, app);
}

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
    return rowsLeft > 0 && !app.out.isClosed;
  };
  const explain = (error: CliError) => (isBegun ? error.with({}, `the list is incomplete: ${error.why}`) : error);
  await eachPage(take).catch(rethrowAs(explain));
  if (!isBegun) await writePage([], view, presentEmpty());
}

async function matchingRows(rows: readonly unknown[], { record }: Reply, filters: readonly Filter[]) {
  const { filterItems } = await import('../output/filter-sort.ts');
  return filterItems(rows, record?.fields ?? {}, filters);
}
