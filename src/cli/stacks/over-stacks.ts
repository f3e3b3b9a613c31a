import { changeEach, type ItemError, itemError } from '../../builders/execute/change-each.ts';
import { combinePlans } from '../../builders/execute/combine-plans.ts';
import {
  type Audience,
  type Command,
  type Context,
  commandWrites,
  type Presentation,
  type Runs,
  type TakePage,
  type Writes,
} from '../../contract/command.ts';
import { type Field, type Fields, type Input, opaque, text } from '../../contract/field.ts';
import type { StackPlan } from '../../contract/plan.ts';
import { type RecordType, type Row, record } from '../../contract/record.ts';
import { rows } from '../../contract/reply.ts';
import { isObject, original, withOriginal } from '../../contract/values/json.ts';
import { once } from '../../contract/values/once.ts';
import { isPattern } from '../../contract/values/text.ts';
import { CliError } from '../../errors/cli-error.ts';
import { presentResult } from '../../output/result.ts';
import type { Run } from '../app.ts';
import { underProgress } from '../context.ts';
import { namesSeveral, stackNames } from './stack-names.ts';

type ResolveStacks = () => Promise<readonly ResolvedStack[]>;

/**
 * Replaces the command by its version for several stacks. All stacks are resolved first. A write is planned in all of
 * them before any question; a read runs in at most eight at once, and every row names its stack.
 */
export async function overStacks(run: Run): Promise<Run> {
  const { command, options, path } = run.line;
  const names = await stackNames(options, run.app.readText);
  const pattern = names.find(isPattern);
  if (pattern !== undefined && commandWrites(command)) {
    const message = `"${path}" needs exact names of stacks, not "${pattern}"`;
    throw new CliError('usage', message, { nothing: 'changed', hint: { path: 'stack list' } });
  }
  if (command.targets.stacks !== 'several') {
    throw new CliError('usage', `"${path}" acts on one stack at a time; give -s one name`);
  }
  const resolved = once(() => resolveStacks(run, names));
  return { ...run, line: { ...run.line, command: commandOver(command, resolved) } };
}

function commandOver(command: Command, resolved: ResolveStacks): Command {
  const { handler, output, targets } = command;
  if (handler.showsSeveral) return { ...command, handler: runTogether(handler, resolved) };
  const { kind, reply } = output;
  return {
    ...command,
    params: Object.fromEntries(Object.entries<Field>(command.params).filter(([, field]) => !field.target)),
    output: { kind: kind === 'change' ? 'change' : 'rows', reply: rows(withStack(reply?.record)) },
    handler:
      handler.kind === 'writes' ? planEach(handler, resolved, targets.inTurn) : readEach(command, handler, resolved),
  };
}

function planEach({ plan }: Writes, resolved: ResolveStacks, inTurn: boolean): Writes {
  return {
    kind: 'writes',
    plan: async (context, input) => {
      const plans: StackPlan[] = [];
      for (const one of await resolved()) {
        const { name, targets } = one;
        const again = () => plan(context, { ...input, ...targets });
        const own = await inStack(name, again());
        const { absent } = own;
        const uid = namesSeveral({ stack: name }) ? { uid: uidOf(one) } : {};
        plans.push({ ...uid, stack: name, plan: { ...own, absent: absent && (() => inStack(name, absent())) }, again });
      }
      return combinePlans(plans, inTurn && plans.length > 1);
    },
  };
}

function runTogether(handler: Runs | Writes, resolved: ResolveStacks): Runs | Writes {
  const findStacks = async () => (await resolved()).map(uidOf);
  if (handler.kind === 'writes') {
    return { ...handler, plan: (context, input, edited) => handler.plan(context, input, edited, findStacks) };
  }
  const { run, watch } = handler;
  return {
    ...handler,
    run: (context, input) => run(context, input, findStacks),
    watch: watch && ((context, input) => watch(context, input, findStacks)),
  };
}

async function resolveStacks(run: Run, names: readonly string[]): Promise<readonly ResolvedStack[]> {
  const { line, session, progress, say } = run;
  const match = (pattern: string) => progress.during(line.path, () => session.matchStacks(pattern));
  const exact: string[] = [];
  for (const name of names) exact.push(...(isPattern(name) ? await match(name) : [name]));
  const found = new Map<string, ResolvedStack>();
  for (const name of new Set(exact)) {
    const one = await resolveStack(run, name);
    const same = found.get(uidOf(one));
    if (same) say.warn(`${name} is the same stack as ${same.name}; it counts once`);
    else found.set(uidOf(one), one);
  }
  if (found.size > 1) run.state.stackNames = new Map([...found].map(([uid, { name }]) => [uid, name]));
  return [...found.values()];
}

async function resolveStack(run: Run, name: string): Promise<ResolvedStack> {
  const resolve = underProgress(run, run.session.resolveTarget);
  const targets: Record<string, unknown> = {};
  for (const [key, field] of Object.entries<Field>(run.line.command.params)) {
    if (field.target === 'stack') targets[key] = await resolve(field, name, targets);
    else if (field.target) targets[key] = await inStack(name, resolve(field, undefined, targets).catch(withListing));
  }
  return { name, targets };
}

/** A correction for one stack would not fit the others. */
function withListing(error: unknown): never {
  throw error instanceof CliError ? error.with({ correction: undefined }) : error;
}

function uidOf({ targets }: ResolvedStack): string {
  return String(Object.values(targets)[0]);
}

async function inStack<Value>(name: string, work: Promise<Value> | Value): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof CliError) || error.details.stack !== undefined) throw error;
    throw error.with({ stack: name }, `${name}: ${error.message}`);
  }
}

const stacksAtOnce = 8;
const stackName = text('The stack, as it was named.');

interface ResolvedStack {
  readonly name: string;
  readonly targets: Input;
}

interface StackRun {
  readonly stack: string;
  readonly value: unknown;
  readonly error: ItemError;
}

function readEach(command: Command, handler: Runs, resolved: () => Promise<readonly ResolvedStack[]>): Runs {
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
          unfinishedRow: ([at, { name }], error, value) => {
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

/** Reads lists in parallel and prints them in the order of the stacks. A later list waits after its first page. */
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
      act: async ({ name, targets, turn, endTurn }) => {
        const give: TakePage = async (rows, kind) => {
          await turn;
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
          void turn.then(endTurn);
        }
      },
      unfinishedRow: () => undefined,
    });
  } catch (error) {
    // The rows that could be read are printed already.
    throw error instanceof CliError ? error.with({ partial: undefined }) : error;
  }
}

function inTurns(all: readonly ResolvedStack[]) {
  let turn = Promise.resolve();
  return all.map((one) => {
    const before = turn;
    let endTurn = () => {};
    turn = new Promise((resolve) => {
      endTurn = resolve;
    });
    return { ...one, turn: before, endTurn };
  });
}

/** A filter may be about the stack, which rows of one stack do not name. */
function ofStack(context: Context, stack: string): Context {
  const matching: Context['matching'] = async (rows, fields) => {
    const named = rowsOfStack(stack, rows);
    const found = new Set(await context.matching(named, { stack: stackName, ...fields }));
    return rows.filter((_, at) => found.has(named[at] as Row));
  };
  return { ...context, matching };
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

function withStack(inner: RecordType | undefined): RecordType {
  const fields: Fields = inner?.fields ?? { value: opaque('The value.') };
  return record<Fields>(
    inner?.name ?? 'value',
    { stack: stackName, ...fields, error: itemError },
    ['stack', ...(inner?.columns ?? ['value'])],
    { id: 'value', ...inner },
  );
}
