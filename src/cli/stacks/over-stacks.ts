import {
  type Audience,
  type Command,
  type Context,
  commandWrites,
  type Presentation,
  type Runs,
  type Writes,
} from '../../contract/command.ts';
import { type Field, type Fields, type Input, opaque, text } from '../../contract/field.ts';
import type { StackPlan } from '../../contract/plan.ts';
import { type RecordType, type Row, record } from '../../contract/record.ts';
import { rows } from '../../contract/reply.ts';
import { isPattern } from '../../contract/values/pattern.ts';
import { changeEach, type ItemError, itemError } from '../../kinds/perform/change-each.ts';
import { combinePlans } from '../../kinds/perform/combine-plans.ts';
import { presentResult } from '../../output/present-reply.ts';
import { Problem } from '../../problems/problem.ts';
import { underProgress } from '../context.ts';
import type { Run } from '../world.ts';
import { type Placed, rowsOfStack, stacksAtOnce } from './placed-stack.ts';
import { stackNames } from './stack-names.ts';

const stackName = text('The stack, as it was named.');

interface StackRun {
  readonly stack: string;
  readonly value: unknown;
  readonly error: ItemError;
}

/**
 * The same command over several stacks. All of them are found first; a write is planned in all of them before anybody is
 * asked, and a read is done in at most eight at once. Every row of its flat list says of which stack it is.
 */
export async function overStacks(run: Run): Promise<Command> {
  const { command, options, path } = run.line;
  const names = await stackNames(options, run.world.readText);
  const pattern = names.find(isPattern);
  if (pattern !== undefined && commandWrites(command)) {
    const message = `"${path}" needs exact names of stacks, not "${pattern}"; nothing was changed`;
    throw new Problem('usage', message, { hint: { path: 'stack list' } });
  }
  if (command.targets.stacks !== 'several') {
    throw new Problem('usage', `"${path}" acts on one stack at a time; give -s one name`);
  }
  let found: Promise<readonly Placed[]> | undefined;
  const placed = () => {
    found ??= placeAll(run, names);
    return found;
  };
  const { does, output } = command;
  if (does.kind === 'runs' && does.showsSeveral) return { ...command, does: together(does, placed) };
  const { kind, reply } = output;
  return {
    ...command,
    params: Object.fromEntries(Object.entries<Field>(command.params).filter(([, field]) => !field.place)),
    output: { kind: kind === 'change' ? 'change' : 'rows', reply: rows(withStack(reply?.record)) },
    does: does.kind === 'writes' ? planned({ ...command, does }, placed) : read({ ...command, does }, placed),
  };
}

type Reader = Command & { readonly does: Runs };
type Writer = Command & { readonly does: Writes };
type PlaceStacks = () => Promise<readonly Placed[]>;

function planned({ does: { plan }, targets }: Writer, placed: PlaceStacks): Writes {
  return {
    kind: 'writes',
    plan: async (context, input) => {
      const plans: StackPlan[] = [];
      for (const { name, places } of await placed()) {
        const again = () => plan(context, { ...input, ...places });
        const own = await inStack(name, again());
        const { absent } = own;
        plans.push({ stack: name, plan: { ...own, absent: absent && (() => inStack(name, absent())) }, again });
      }
      return combinePlans(plans, targets.inTurn && plans.length > 1);
    },
  };
}

function together({ run, watch, ...does }: Runs, placed: PlaceStacks): Runs {
  const findStacks = async () => (await placed()).map(uidOf);
  return {
    ...does,
    run: (context, input) => run(context, input, findStacks),
    watch: watch && ((context, input) => watch(context, input, findStacks)),
  };
}

/** A stack that cannot be read is a row with its error; the others are read all the same. */
function read(command: Reader, placed: PlaceStacks): Runs {
  let all: readonly Placed[] = [];
  const parts = new Map<string, StackRun>();
  const { eachPage } = command.does;
  return {
    kind: 'runs',
    isRead: command.does.isRead,
    eachPage:
      eachPage &&
      (async (context, input, take) => {
        const { pagesOverStacks } = await import('./pages-over-stacks.ts');
        await pagesOverStacks(
          (places, takeOwn) => eachPage(context, { ...input, ...places }, takeOwn),
          await placed(),
          take,
        );
      }),
    run: async (context, input) => {
      all = await placed();
      const within = withoutLimit(context);
      const keep = (part: StackRun): void => void parts.set(part.stack, part);
      try {
        await changeEach({ keepGoing: true }, all, {
          nameOf: ({ name }) => name,
          atOnce: stacksAtOnce,
          act: async ({ name, places }) =>
            keep({
              stack: name,
              value: await command.does.run(ofStack(within, name), { ...input, ...places }),
              error: null,
            }),
          undone: ({ name }, error, seen) => keep({ stack: name, value: seen, error }),
        });
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        throw error.with({ partial: { value: flatRows(all, parts) } });
      }
      return flatRows(all, parts);
    },
    present: (_, input, audience) => presentAll(command, partsInOrder(all, parts), input, audience),
  };
}

/** Each once, the stacks of a pattern in its place. */
async function placeAll(run: Run, names: readonly string[]): Promise<readonly Placed[]> {
  const { line, session, progress } = run;
  const place = underProgress(run, session.place);
  const match = (pattern: string) => progress.during(line.path, () => session.matchStacks(pattern));
  const exact: string[] = [];
  for (const name of names) exact.push(...(isPattern(name) ? await match(name) : [name]));
  const all: Placed[] = [];
  for (const name of new Set(exact)) {
    const places: Record<string, unknown> = {};
    for (const [key, field] of Object.entries<Field>(line.command.params)) {
      if (field.place) places[key] = await place(field, field.place === 'stack' ? name : undefined, places);
    }
    all.push({ name, places });
  }
  const each = unique(all, run.say.warn);
  if (each.length > 1) run.state.stackNames = new Map(each.map((one) => [uidOf(one), one.name]));
  return each;
}

function unique(all: readonly Placed[], warn: (line: string) => void): readonly Placed[] {
  const seen = new Map<string, Placed>();
  for (const one of all) {
    const uid = uidOf(one);
    if (seen.has(uid)) warn(`${one.name} is the same stack as ${seen.get(uid)?.name}; it counts once`);
    else seen.set(uid, one);
  }
  return [...seen.values()];
}

function uidOf({ places }: Placed): string {
  return String(Object.values(places)[0]);
}

/** A mistake that was found before anything is done must say in which stack. */
async function inStack<Value>(name: string, work: Promise<Value> | Value): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if ([`${name}: `, `${name}/`].some((named) => error.message.startsWith(named))) throw error;
    throw new Problem(error.kind, `${name}: ${error.message}`, error.details);
  }
}

function partsInOrder(all: readonly Placed[], parts: ReadonlyMap<string, StackRun>): readonly StackRun[] {
  return all.map(({ name }) => parts.get(name)).filter((part) => part !== undefined);
}

function flatRows(all: readonly Placed[], parts: ReadonlyMap<string, StackRun>): readonly Row[] {
  return partsInOrder(all, parts).flatMap(({ stack, value, error }) => [
    ...rowsOfStack(stack, valueRows(value)),
    ...(error ? [{ stack, error }] : []),
  ]);
}

function valueRows(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

/** A limit is for the rows of all stacks: a person is told how many there are, a program needs no more than it takes. */
function withoutLimit(context: Context): Context {
  return context.audience.terminal ? { ...context, limit: undefined } : context;
}

/** A filter may be about the stack, which no row of a single one has. */
function ofStack(context: Context, stack: string): Context {
  const isShown = (row: unknown, fields: Fields) =>
    context.matching(rowsOfStack(stack, [row]), { stack: stackName, ...fields }).length > 0;
  return { ...context, matching: (rows, fields) => rows.filter((row) => isShown(row, fields)) };
}

function presentAll(command: Command, parts: readonly StackRun[], input: Input, audience: Audience): Presentation {
  const shown = parts
    .filter(({ value }) => value !== undefined)
    .map(({ stack, value }) => ({ stack, how: presentResult(command, value, input, audience) }));
  if (shown.length === 0) return { kind: 'nothing' };
  const lines = shown.flatMap(({ stack, how }) =>
    how.kind === 'done' ? how.lines.map((line) => `${stack}: ${line}`) : [],
  );
  if (lines.length > 0) return { kind: 'done', lines };
  const first = shown.map(({ how }) => recordOf(how)).find((one) => one !== undefined);
  return {
    kind: 'table',
    record: withStack(first),
    rows: shown.flatMap(({ stack, how }) => rowsOfStack(stack, rowsOf(how))),
  };
}

function recordOf(how: Presentation): RecordType | undefined {
  return how.kind === 'table' || how.kind === 'detail' ? how.record : undefined;
}

function rowsOf(how: Presentation): readonly Row[] {
  if (how.kind === 'table') return how.rows;
  if (how.kind === 'detail') return [how.row];
  return how.kind === 'value' ? [{ value: how.text }] : [];
}

/** The record with the stack in front; a bare value is a record of one field. */
function withStack(inner: RecordType | undefined): RecordType {
  const fields: Fields = inner?.fields ?? { value: opaque('The value.') };
  return record<Fields>(
    inner?.name ?? 'value',
    { stack: stackName, ...fields, error: itemError },
    ['stack', ...(inner?.columns ?? ['value'])],
    { id: 'value', ...inner },
  );
}
