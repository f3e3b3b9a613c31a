import { changeEach, type ItemError, itemError } from '../../builders/execute/change-each.ts';
import type { Audience, Command, Context, Presentation, Runs, TakePage } from '../../contract/command.ts';
import { type Fields, type Input, opaque, text } from '../../contract/field.ts';
import { type RecordType, type Row, record } from '../../contract/record.ts';
import { isObject, original, withOriginal } from '../../contract/values/json.ts';
import { CliError } from '../../errors/cli-error.ts';
import { presentResult } from '../../output/present-reply.ts';

const stacksAtOnce = 8;
const stackName = text('The stack, as it was named.');

export interface ResolvedStack {
  readonly name: string;
  readonly targets: Input;
}

interface StackRun {
  readonly stack: string;
  readonly value: unknown;
  readonly error: ItemError;
}

/** Runs a read in each stack. A failure is a row with an error; the other stacks are read all the same. */
export function readEach(command: Command, handler: Runs, resolved: () => Promise<readonly ResolvedStack[]>): Runs {
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
        pagesInOrder(
          (targets, takeOwn) => eachPage(context, { ...input, ...targets }, takeOwn),
          await resolved(),
          take,
        )),
    run: async (context, input) => {
      const all = [...(await resolved()).entries()];
      // The limit is for all stacks: a table also counts the hidden rows, a program gets no more rows than it takes.
      const within = context.audience.terminal ? { ...context, limit: undefined } : context;
      try {
        await changeEach({ keepGoing: true }, all, {
          nameOf: ([, { name }]) => name,
          atOnce: stacksAtOnce,
          act: async ([at, { name, targets }]) => {
            const value = await handler.run(ofStack(within, name), { ...input, ...targets });
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
 * Reads lists page by page and prints them in the order of the stacks: each later stack waits with one page, and with
 * those read ahead.
 */
async function pagesInOrder(
  eachPage: (targets: Input, take: TakePage) => Promise<void>,
  all: readonly ResolvedStack[],
  take: TakePage,
): Promise<void> {
  let isWanted = true;
  try {
    await changeEach({ keepGoing: true }, inTurns(all), {
      nameOf: ({ name }) => name,
      atOnce: stacksAtOnce,
      act: async ({ name, targets, comes, ends }) => {
        const give: TakePage = async (rows, kind) => {
          await comes;
          isWanted &&= await take(rows, kind);
          return isWanted;
        };
        try {
          if (isWanted) await eachPage(targets, (rows) => give(rowsOfStack(name, rows)));
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
    // The rows that could be read are printed already.
    throw error instanceof CliError ? error.with({ partial: undefined }) : error;
  }
}

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

/** A filter may be about the stack, which rows of one stack do not name. */
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
  const presented = parts
    .filter(({ value }) => value !== undefined)
    .map(({ stack, value }) => ({ stack, how: presentResult(command, value, input, audience) }))
    .filter(({ how }) => how.kind !== 'nothing');
  if (presented.length === 0) return { kind: 'nothing' };
  const lines = presented.flatMap(({ stack, how }) =>
    how.kind === 'done' ? how.lines.map((line) => `${stack}: ${line}`) : [],
  );
  if (lines.length > 0) return { kind: 'done', lines };
  const [first] = presented.flatMap(({ how }) => (how.kind === 'table' || how.kind === 'detail' ? [how.record] : []));
  return {
    kind: 'table',
    record: withStack(first),
    rows: presented.flatMap(({ stack, how }) => rowsOfStack(stack, rowsOf(how))),
  };
}

function rowsOf(how: Presentation): readonly Row[] {
  if (how.kind === 'table') return how.rows;
  if (how.kind === 'detail') return [how.row];
  return how.kind === 'value' ? [{ value: how.text }] : [];
}

/** Adds the stack as the first field; a bare value becomes a record of one field. */
export function withStack(inner: RecordType | undefined): RecordType {
  const fields: Fields = inner?.fields ?? { value: opaque('The value.') };
  return record<Fields>(
    inner?.name ?? 'value',
    { stack: stackName, ...fields, error: itemError },
    ['stack', ...(inner?.columns ?? ['value'])],
    { id: 'value', ...inner },
  );
}
