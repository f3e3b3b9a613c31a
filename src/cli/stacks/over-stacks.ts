import { changeEach, type ItemError, itemErrorField } from '../../builders/execute/change-each.ts';
import { combinePlans } from '../../builders/execute/combine-plans.ts';
import {
  type Audience,
  type Command,
  type Context,
  commandWrites,
  type PageHandler,
  type Presentation,
  type RunHandler,
  type WriteHandler,
} from '../../contract/command.ts';
import { type Field, type Input, opaque, text } from '../../contract/field.ts';
import type { StackPlan } from '../../contract/plan.ts';
import { type RecordType, type Row, record } from '../../contract/record.ts';
import { rows } from '../../contract/reply.ts';
import { isObject, originalOf, withOriginal } from '../../contract/values/json.ts';
import { once } from '../../contract/values/once.ts';
import { isPattern } from '../../contract/values/text.ts';
import { CliError, rethrowAs } from '../../errors/cli-error.ts';
import { presentResult } from '../../output/result.ts';
import type { Run } from '../app.ts';
import { resolveUnderProgress } from '../context.ts';
import { namesSeveralStacks, readStackNames } from './stack-names.ts';

type ResolveStacks = () => Promise<readonly ResolvedStack[]>;

/** Returns the run for several stacks. A write is planned for all before any question. A read takes eight at once. */
export async function forSeveralStacks(run: Run): Promise<Run> {
  const { command, options, path } = run.line;
  const names = await readStackNames(options, run.app.readText);
  const pattern = names.find(isPattern);
  if (pattern !== undefined && commandWrites(command)) {
    const message = `"${path}" needs exact names of stacks, not "${pattern}"`;
    throw new CliError('usage', message, { nothing: 'changed', hint: { path: 'stack list' } });
  }
  if (command.targets.stacks !== 'several') {
    throw new CliError('usage', `"${path}" acts on one stack at a time; give -s one name`);
  }
  const resolveAll = once(() => resolveStacks(run, names));
  return { ...run, line: { ...run.line, command: commandForStacks(command, resolveAll) } };
}

function commandForStacks(command: Command, resolveAll: ResolveStacks): Command {
  const { handler, output } = command;
  if (handler.showsSeveral) return { ...command, handler: withFindStacks(handler, resolveAll) };
  return {
    ...command,
    params: Object.fromEntries(Object.entries<Field>(command.params).filter(([, field]) => !field.target)),
    output: { kind: output.kind === 'change' ? 'change' : 'rows', reply: rows(withStackColumn(output.reply?.record)) },
    handler: handler.kind === 'writes' ? planAll(command, handler, resolveAll) : readAll(command, handler, resolveAll),
  };
}

function planAll({ targets: { inTurn } }: Command, { plan }: WriteHandler, resolveAll: ResolveStacks): WriteHandler {
  return {
    kind: 'writes',
    plan: async (context, input) => {
      const plans: StackPlan[] = [];
      for (const { name, uid, targets } of await resolveAll()) {
        const replan = () => plan(context, { ...input, ...targets });
        const firstPlan = await withStackInError(name, replan());
        const { refuse } = firstPlan;
        const namedPlan = { ...firstPlan, refuse: refuse && (() => withStackInError(name, refuse())) };
        const uidField = namesSeveralStacks({ stack: name }) ? { uid } : {};
        plans.push({ ...uidField, stack: name, plan: namedPlan, replan });
      }
      return combinePlans(plans, inTurn && plans.length > 1);
    },
  };
}

function withFindStacks(handler: RunHandler | WriteHandler, resolveAll: ResolveStacks): RunHandler | WriteHandler {
  const findStacks = async () => (await resolveAll()).map(({ uid }) => uid);
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
  const matchPattern = (pattern: string) => progress.during(line.path, () => session.matchStacks(pattern));
  const exactNames: string[] = [];
  for (const name of names) exactNames.push(...(isPattern(name) ? await matchPattern(name) : [name]));
  const stacks = new Map<string, ResolvedStack>();
  for (const name of new Set(exactNames)) {
    const stack = await resolveStack(run, name);
    const sameStack = stacks.get(stack.uid);
    if (sameStack) say.warn(`${name} is the same stack as ${sameStack.name}; it counts once`);
    else stacks.set(stack.uid, stack);
  }
  if (stacks.size > 1) run.state.stackNames = new Map([...stacks].map(([uid, { name }]) => [uid, name]));
  return [...stacks.values()];
}

async function resolveStack(run: Run, name: string): Promise<ResolvedStack> {
  const resolveTarget = resolveUnderProgress(run, run.session.resolveTarget);
  const targets: Record<string, unknown> = {};
  for (const [key, field] of Object.entries<Field>(run.line.command.params)) {
    if (field.target === 'stack') targets[key] = await resolveTarget(field, name, targets);
    else if (field.target) {
      const resolving = resolveTarget(field, undefined, targets).catch(rethrowWithoutCorrection);
      targets[key] = await withStackInError(name, resolving);
    }
  }
  return { name, uid: String(Object.values(targets)[0]), targets };
}

/** Throws the error without its correction, which is for one stack and would not fit the other stacks. */
const rethrowWithoutCorrection = rethrowAs((error) => error.with({ correction: undefined }));

function withStackInError<Value>(name: string, work: Promise<Value>): Promise<Value> {
  const addStack = (error: CliError) =>
    error.details.stack === undefined ? error.with({ stack: name }, `${name}: ${error.message}`) : error;
  return work.catch(rethrowAs(addStack));
}

const maxStacksAtOnce = 8;
const stackField = text('The stack, as it was named.');

type ResolvedStack = { readonly name: string; readonly uid: string; readonly targets: Input };

type ReadPages = (targets: Input, take: PageHandler) => Promise<void>;

type StackResult = { readonly stack: string; readonly value: unknown; readonly error: ItemError };

function readAll(command: Command, handler: RunHandler, resolveAll: ResolveStacks): RunHandler {
  const stackResults: StackResult[] = [];
  const collectRows = () =>
    stackResults.flatMap(({ stack, value, error }) => [
      ...rowsOfStack(stack, value === undefined ? [] : [value].flat()),
      ...(error ? [{ stack, error }] : []),
    ]);
  const { isRead, eachPage } = handler;
  return {
    kind: 'runs',
    isRead,
    eachPage:
      eachPage &&
      (async (context, input, take) => {
        const readPages: ReadPages = (targets, takeRows) => eachPage(context, { ...input, ...targets }, takeRows);
        await takePagesInOrder(readPages, await resolveAll(), take);
      }),
    run: async (context, input) => {
      const stacks = [...(await resolveAll()).entries()];
      // The limit is for all stacks together. A terminal also shows how many rows are left out, so all rows are read.
      const stackContext = context.audience.terminal ? { ...context, limit: undefined } : context;
      const reading = changeEach({ keepGoing: true }, stacks, {
        nameOf: ([, { name }]) => name,
        atOnce: maxStacksAtOnce,
        changeItem: async ([at, { name, targets }]) => {
          const value = await handler.run(contextOfStack(stackContext, name), { ...input, ...targets });
          stackResults[at] = { stack: name, value, error: null };
        },
        unfinishedRow: ([at, { name }], error, value) => {
          stackResults[at] = { stack: name, value, error };
        },
      });
      await reading.catch(rethrowAs((error) => error.with({ partial: { value: collectRows() } })));
      return collectRows();
    },
    present: (_, input, audience) => presentAll(command, stackResults, input, audience),
  };
}

/** Reads the lists of all stacks in parallel and prints them in order. A list waits for its turn after its first page. */
async function takePagesInOrder(read: ReadPages, stacks: readonly ResolvedStack[], take: PageHandler) {
  let takesMore = true;
  let earlierStacks: Promise<unknown> = Promise.resolve();
  const takeStack = async ({ name, targets }: ResolvedStack, turn: Promise<unknown>) => {
    const takeInTurn: PageHandler = async (rows, kind) => {
      await turn;
      takesMore &&= await take(rows, kind);
      return takesMore;
    };
    try {
      if (takesMore) await read(targets, (rows) => takeInTurn(rowsOfStack(name, rows)));
    } catch (error) {
      if (error instanceof CliError) {
        await takeInTurn([{ stack: name, error: { code: error.kind, message: error.message } }], 'failures');
      }
      throw error;
    }
  };
  const takingAll = changeEach({ keepGoing: true }, stacks, {
    nameOf: ({ name }) => name,
    atOnce: maxStacksAtOnce,
    changeItem: async (stack) => {
      const taking = takeStack(stack, earlierStacks);
      earlierStacks = Promise.allSettled([earlierStacks, taking]);
      await taking;
    },
    unfinishedRow: () => undefined,
  });
  // The rows that could be read are printed already, so they are not printed as a partial result.
  await takingAll.catch(rethrowAs((error) => error.with({ partial: undefined })));
}

/** Returns the context for one stack. Its `matching` adds the field `stack` to rows before they are filtered. */
function contextOfStack(context: Context, stack: string): Context {
  const matching: Context['matching'] = async (rows, fields) => {
    const rowsWithStack = rowsOfStack(stack, rows);
    const matches = new Set(await context.matching(rowsWithStack, { stack: stackField, ...fields }));
    return rows.filter((_, at) => matches.has(rowsWithStack[at] as Row));
  };
  return { ...context, matching };
}

function rowsOfStack(stack: string, rows: readonly unknown[]): readonly Row[] {
  return rows.map((row) => {
    if (!isObject(row)) return { stack, value: row };
    const sent = originalOf(row);
    return sent === row ? { stack, ...row } : withOriginal({ stack, ...row }, { stack, ...(sent as Row) });
  });
}

function presentAll(command: Command, results: readonly StackResult[], input: Input, audience: Audience): Presentation {
  const presentations = results
    .filter(({ value }) => value !== undefined)
    .map(({ stack, value }) => ({ stack, shown: presentResult(command, value, input, audience) }))
    .filter(({ shown }) => shown.kind !== 'nothing');
  if (presentations.length === 0) return { kind: 'nothing' };
  const lines = presentations.flatMap(({ stack, shown }) =>
    shown.kind === 'done' ? shown.lines.map((line) => `${stack}: ${line}`) : [],
  );
  if (lines.length > 0) return { kind: 'done', lines };
  const [recordType] = presentations.flatMap(({ shown }) =>
    shown.kind === 'table' || shown.kind === 'detail' ? [shown.record] : [],
  );
  return {
    kind: 'table',
    record: withStackColumn(recordType),
    rows: presentations.flatMap(({ stack, shown }) => rowsOfStack(stack, rowsOf(shown))),
  };
}

function rowsOf(presentation: Presentation): readonly Row[] {
  if (presentation.kind === 'table') return presentation.rows;
  if (presentation.kind === 'detail') return [presentation.row];
  return presentation.kind === 'value' ? [{ value: presentation.text }] : [];
}

const valueRecord = record('value', { value: opaque('The value.') }, ['value']);

function withStackColumn(recordType: RecordType = valueRecord): RecordType {
  const fields = { stack: stackField, ...recordType.fields, error: itemErrorField };
  return { ...recordType, fields, columns: ['stack', ...recordType.columns] };
}
