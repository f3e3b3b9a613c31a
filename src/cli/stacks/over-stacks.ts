import { changeEach, type ItemError, itemError } from '../../batch/change-each.ts';
import {
  type Audience,
  type Command,
  type Context,
  commandWrites,
  type Presentation,
  type Row,
  type Target,
} from '../../contract/command.ts';
import { type Field, type Fields, opaque, text } from '../../contract/field.ts';
import { type RecordType, record } from '../../contract/record.ts';
import { rows } from '../../contract/reply.ts';
import { presentResult } from '../../output/present-reply.ts';
import { Problem } from '../../problems/problem.ts';
import { combinePlans, type StackPlan } from './combine-plans.ts';
import { type Input, type Placed, rowsOfStack } from './placed-stack.ts';

export interface Stacks {
  /** Names or UIDs, each once, as typed. */
  readonly names: readonly string[];
  readonly place: (field: Field, word: string | undefined, placed: Input) => Promise<unknown>;
  /** A context in which writes are checked and not sent. */
  readonly rehearsal: () => Context;
  readonly warn: (line: string) => void;
}

/** What came of one stack. */
interface Part {
  readonly stack: string;
  readonly value: unknown;
  readonly error: ItemError;
}

/**
 * The same command over several stacks, at most four at once. All of them are found, and writes are checked everywhere,
 * before the first one is sent. Its value is one flat list: every row says of which stack it is, and a stack that
 * failed is a row with its error.
 */
export function overStacks(command: Command, stacks: Stacks): Command {
  const { names, warn } = stacks;
  const parts = new Map<string, Part>();
  let found: Promise<readonly Placed[]> | undefined;
  let limit: number | undefined;
  const placed = () => {
    found ??= placeAll(command, stacks).then((all) => unique(all, warn));
    return found;
  };
  return {
    ...command,
    params: Object.fromEntries(Object.entries<Field>(command.params).filter(([, field]) => !field.place)),
    output: {
      kind: command.output.kind === 'change' ? 'change' : 'rows',
      reply: rows(withStack(command.output.reply?.record)),
    },
    ...(command.confirm?.target && { confirm: confirmAll(command.confirm, placed) }),
    ...(command.plan && {
      plan: async (context, input) => combinePlans(await planAll(command, await placed(), { context, input })),
    }),
    ...(command.eachPage && {
      eachPage: async (context, input, take) => {
        const { pagesOverStacks } = await import('./pages-over-stacks.ts');
        await pagesOverStacks({ command, context, input, take }, await placed());
      },
    }),
    run: async (context, input) => {
      const all = await placed();
      limit = context.limit;
      if (commandWrites(command) && !context.dryRun)
        await checkAll(command, all, { context: stacks.rehearsal(), input });
      try {
        await runAll({ command, context, input, parts }, all);
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        const value = flatRows(names, parts);
        throw error.with({ partial: { value } });
      }
      return flatRows(names, parts);
    },
    present: (_, input, audience) =>
      withinLimit(presentAll(command, partsInOrder(names, parts), input, audience), limit),
  };
}

/** Throws usage for a command that cannot act on several stacks. */
export function checkSeveral(command: Command, path: readonly string[]): void {
  if (command.targets.stacks === 'several') return;
  throw new Problem('usage', `${path.join(' ')} acts on one stack at a time; name one with -s`);
}

async function placeAll(command: Command, { names, place }: Stacks): Promise<readonly Placed[]> {
  const all: Placed[] = [];
  for (const name of names) {
    const places: Record<string, unknown> = {};
    for (const [key, field] of Object.entries<Field>(command.params)) {
      if (field.place) places[key] = await place(field, field.place === 'stack' ? name : undefined, places);
    }
    all.push({ name, places });
  }
  return all;
}

/** A name and a UID may mean the same stack. */
function unique(all: readonly Placed[], warn: (line: string) => void): readonly Placed[] {
  const seen = new Map<unknown, Placed>();
  for (const one of all) {
    const uid = Object.values(one.places)[0];
    if (seen.has(uid)) warn(`${one.name} is the same stack as ${seen.get(uid)?.name}; it counts once`);
    else seen.set(uid, one);
  }
  return [...seen.values()];
}

async function checkAll(
  command: Command,
  all: readonly Placed[],
  { context, input }: { readonly context: Context; readonly input: Input },
): Promise<void> {
  for (const { name, places } of all) await inStack(name, command.run(context, { ...input, ...places }));
}

/** A mistake that was found before anything is done must say in which stack. */
async function inStack<Value>(name: string, work: Promise<Value> | Value): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new Problem(error.kind, `${name}: ${error.message}`, error.details);
  }
}

interface Going {
  readonly command: Command;
  readonly context: Context;
  readonly input: Input;
  readonly parts: Map<string, Part>;
}

async function runAll({ command, context, input, parts }: Going, all: readonly Placed[]): Promise<void> {
  const keep = (part: Part): void => void parts.set(part.stack, part);
  const writes = commandWrites(command);
  const keepGoing = context.keepGoing || !writes;
  await changeEach({ keepGoing }, all, {
    nameOf: ({ name }) => name,
    act: async ({ name, places }) =>
      keep({ stack: name, value: await command.run(context, { ...input, ...places }), error: null }),
    undone: ({ name }, error, seen) => keep({ stack: name, value: seen, error }),
    inTurn: writes && Object.values(input).some((value) => Array.isArray(value) && value.length > 1),
  });
}

type Confirm = NonNullable<Command['confirm']>;

async function planAll(
  { plan }: Command,
  all: readonly Placed[],
  { context, input }: { readonly context: Context; readonly input: Input },
): Promise<readonly StackPlan[]> {
  const plans: StackPlan[] = [];
  for (const { name, places } of all) {
    const planned = plan && (await inStack(name, plan(context, { ...input, ...places })));
    if (planned) plans.push({ stack: name, plan: planned });
  }
  return plans;
}

/** One question for all of them. */
function confirmAll({ target, ...asks }: Confirm, placed: () => Promise<readonly Placed[]>): Confirm {
  return {
    ...asks,
    target: async (context, input) => {
      const targets: (Target | undefined)[] = [];
      for (const { name, places } of await placed()) {
        targets.push(await inStack(name, target?.(context, { ...input, ...places })));
      }
      const asked = targets.filter((one) => one !== undefined);
      if (asked.length === 0) return undefined;
      const name = [...new Set(asked.map((one) => one.name))].join(', ');
      return { name, facts: asked.flatMap(({ facts }) => facts) };
    },
  };
}

function partsInOrder(names: readonly string[], parts: ReadonlyMap<string, Part>): readonly Part[] {
  return names.map((name) => parts.get(name)).filter((part) => part !== undefined);
}

function flatRows(names: readonly string[], parts: ReadonlyMap<string, Part>): readonly Row[] {
  return partsInOrder(names, parts).flatMap(({ stack, value, error }) => [
    ...rowsOfStack(stack, valueRows(value)),
    ...(error ? [{ stack, error }] : []),
  ]);
}

function valueRows(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

/** Where reading stopped at the limit in each stack, the number of rows is no total. */
function withinLimit(shown: Presentation, limit: number | undefined): Presentation {
  return shown.kind === 'table' && limit !== undefined ? { ...shown, rows: shown.rows.slice(0, limit) } : shown;
}

function presentAll(command: Command, parts: readonly Part[], input: Input, audience: Audience): Presentation {
  const shown = parts
    .filter(({ value }) => value !== undefined)
    .map(({ stack, value }) => ({ stack, how: presentResult(command, value, input, audience) }));
  const done = shown.flatMap(({ stack, how }) => (how.kind === 'done' ? [{ stack, how }] : []));
  if (done.length > 0) {
    const lines = done.flatMap(({ stack, how }) => how.lines.map((line) => `${stack}: ${line}`));
    const undo = done.flatMap(({ how }) => how.undo ?? []);
    return { kind: 'done', lines, undo, undoHoldsValues: done.some(({ how }) => how.undoHoldsValues) };
  }
  if (shown.length === 0) return { kind: 'nothing' };
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
    { stack: text('The stack, as it was named.'), ...fields, error: itemError },
    ['stack', ...(inner?.columns ?? ['value'])],
    { plural: inner?.plural ?? 'values' },
  );
}
