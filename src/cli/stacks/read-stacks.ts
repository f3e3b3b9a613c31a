import { changeEach, type ItemError, itemError } from '../../builders/execute/change-each.ts';
import type { Audience, Command, Context, Presentation, Runs, TakePage } from '../../contract/command.ts';
import { type Fields, type Input, opaque, text } from '../../contract/field.ts';
import { type RecordType, type Row, record } from '../../contract/record.ts';
import { isObject } from '../../contract/values/json-object.ts';
import { original, withOriginal } from '../../contract/values/sent.ts';
import { CliError } from '../../errors/cli-error.ts';
import { presentResult } from '../../output/present-reply.ts';

const stacksAtOnce = 8;
const stackName = text('The stack, as it was named.');

export interface ResolvedStack {
  readonly name: string;
  readonly places: Input;
}

interface StackRun {
  readonly stack: string;
  readonly value: unknown;
  readonly error: ItemError;
}

/** Does a read in each stack. One that cannot be read is a row with its error; the others are read all the same. */
export function readEach(command: Command, handler: Runs, placed: () => Promise<readonly ResolvedStack[]>): Runs {
  const parts: StackRun[] = [];
  const rows = () =>
    parts.flatMap(({ stack, value, error }) => [
      ...rowsOfStack(stack, value === undefined ? [] : [value].flat()),
      ...(error ? [{ stack, error }] : []),
    ]);
  const { isRead, eachPage } = handler;
  return {
    kind: 'runs',
    isRead,
    eachPage:
      eachPage &&
      (async (context, input, take) =>
        pagesInOrder((places, takeOwn) => eachPage(context, { ...input, ...places }, takeOwn), await placed(), take)),
    run: async (context, input) => {
      const all = [...(await placed()).entries()];
      // A limit is for all stacks: a person is told how many rows there are, a program needs no more than it takes.
      const within = context.audience.terminal ? { ...context, limit: undefined } : context;
      try {
        await changeEach({ keepGoing: true }, all, {
          nameOf: ([, { name }]) => name,
          atOnce: stacksAtOnce,
          act: async ([at, { name, places }]) => {
            const value = await handler.run(ofStack(within, name), { ...input, ...places });
            parts[at] = { stack: name, value, error: null };
          },
          undone: ([at, { name }], error, value) => {
            parts[at] = { stack: name, value, error };
          },
        });
      } catch (error) {
        throw error instanceof CliError ? error.with({ partial: { value: rows() } }) : error;
      }
      return rows();
    },
    present: (_, input, audience) => presentAll(command, parts, input, audience),
  };
}

/**
 * Reads a list page by page; what is taken comes in the order in which the stacks were named, so that each but the first
 * waits with one page in its hands, and with those that were read ahead.
 */
async function pagesInOrder(
  eachPage: (places: Input, take: TakePage) => Promise<void>,
  all: readonly ResolvedStack[],
  take: TakePage,
): Promise<void> {
  let isWanted = true;
  try {
    await changeEach({ keepGoing: true }, inTurns(all), {
      nameOf: ({ name }) => name,
      atOnce: stacksAtOnce,
      act: async ({ name, places, comes, ends }) => {
        const give: TakePage = async (rows, kind) => {
          await comes;
          isWanted &&= await take(rows, kind);
          return isWanted;
        };
        try {
          if (isWanted) await eachPage(places, (rows) => give(rowsOfStack(name, rows)));
        } catch (error) {
          if (error instanceof CliError) {
            const { kind: code, message } = error;
            await give([{ stack: name, error: { code, message } }], 'failures');
          }
          throw error;
        } finally {
          void comes.then(ends);
        }
      },
      undone: () => undefined,
    });
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    // What could be read has been written.
    const { partial: _, ...details } = error.details;
    throw new CliError(error.kind, error.message, details);
  }
}

/** The turn of each comes when the one before has ended. */
function inTurns(all: readonly ResolvedStack[]) {
  let comes = Promise.resolve();
  return all.map((one) => {
    const before = comes;
    let ends = () => {};
    comes = new Promise((resolve) => {
      ends = resolve;
    });
    return { ...one, comes: before, ends };
  });
}

/** A filter may be about the stack, which no row of a single one has. */
function ofStack(context: Context, stack: string): Context {
  const isShown = (row: unknown, fields: Fields) =>
    context.matching(rowsOfStack(stack, [row]), { stack: stackName, ...fields }).length > 0;
  return { ...context, matching: (rows, fields) => rows.filter((row) => isShown(row, fields)) };
}

function rowsOfStack(stack: string, rows: readonly unknown[]): readonly Row[] {
  return rows.map((row) => {
    if (!isObject(row)) return { stack, value: row };
    const sent = original(row);
    return sent === row ? { stack, ...row } : withOriginal({ stack, ...row }, { stack, ...(sent as Row) });
  });
}

function presentAll(command: Command, parts: readonly StackRun[], input: Input, audience: Audience): Presentation {
  const shown = parts
    .filter(({ value }) => value !== undefined)
    .map(({ stack, value }) => ({ stack, how: presentResult(command, value, input, audience) }))
    .filter(({ how }) => how.kind !== 'nothing');
  if (shown.length === 0) return { kind: 'nothing' };
  const lines = shown.flatMap(({ stack, how }) =>
    how.kind === 'done' ? how.lines.map((line) => `${stack}: ${line}`) : [],
  );
  if (lines.length > 0) return { kind: 'done', lines };
  const [first] = shown.flatMap(({ how }) => (how.kind === 'table' || how.kind === 'detail' ? [how.record] : []));
  return {
    kind: 'table',
    record: withStack(first),
    rows: shown.flatMap(({ stack, how }) => rowsOfStack(stack, rowsOf(how))),
  };
}

function rowsOf(how: Presentation): readonly Row[] {
  if (how.kind === 'table') return how.rows;
  if (how.kind === 'detail') return [how.row];
  return how.kind === 'value' ? [{ value: how.text }] : [];
}

/** The record with the stack in front; a bare value is a record of one field. */
export function withStack(inner: RecordType | undefined): RecordType {
  const fields: Fields = inner?.fields ?? { value: opaque('The value.') };
  return record<Fields>(
    inner?.name ?? 'value',
    { stack: stackName, ...fields, error: itemError },
    ['stack', ...(inner?.columns ?? ['value'])],
    { id: 'value', ...inner },
  );
}
