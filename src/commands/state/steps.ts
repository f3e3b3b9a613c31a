import { combinePlans } from '../../builders/execute/combine-plans.ts';
import { isMade } from '../../builders/execute/send.ts';
import { changeLine, verbs } from '../../builders/execute/summary.ts';
import type { Context } from '../../contract/command.ts';
import type { Change, Plan, Step } from '../../contract/plan.ts';
import { valueText } from '../../contract/values/json.ts';
import { mask } from '../../contract/values/text.ts';
import { CliError, expectCliError, tryOrWarn } from '../../errors/cli-error.ts';
import type { LockLine } from '../../state/lock.ts';
import { planRedeploy } from '../env/plan.ts';
import { displayValue } from '../env/variable.ts';
import { type Difference, isReached, lockLineOf } from './compare.ts';
import { stackHold, updateLock } from './lock-file.ts';
import { type ComparedStack, readerOf } from './read.ts';
import { isWrite, shownValues } from './rows.ts';
import { type FileSection, type Item, phases, type StackReader, type WriteOptions } from './section.ts';
import { fileSections } from './sections/index.ts';
import type { OpenFile } from './stack-file.ts';

export interface StepOptions extends WriteOptions {
  readonly redeploy?: boolean;
}

/** The changes of one stack, in the order of their phases; the lock is written for those that were made. */
export function planStack(
  context: Context,
  { stack, differences }: ComparedStack,
  { lockFile }: Pick<OpenFile, 'lockFile'>,
  options: StepOptions,
): Plan {
  const groups = groupsOf(differences);
  const all = groups.flatMap(({ own }) => own);
  const plans = groups.map(({ section, own }) => section.plan(context, stack.uid, own, options));
  const inner = combinePlans(plans.map((plan) => ({ stack: '', plan })));
  const stepAt = (at: number) => inner.steps[at] as Step;
  // The plan of a section expects its own records.
  const asInner = (changes: readonly Change[]) =>
    changes.map((change, at): Change => {
      const { id, before, after } = stepAt(at);
      return { ...change, ...id, before, after };
    });
  const asRecord = (change: Change, at: number): Change => {
    const own = Object.entries(change).filter(([name]) => !(name in stepAt(at).id));
    const record = Object.fromEntries(own) as unknown as Change;
    return { ...record, ...valuesOf(context, all[at] as Difference, record) };
  };
  const stored = new Set<string>();
  const reader = readerOf(context, stack.uid);
  return {
    isList: true,
    waits: false,
    steps: inner.steps.map((step, at) => stepFor(context, reader, step, all[at] as Difference)),
    hold: async () => stackHold(context, stack).take(),
    finish: async (changes, replies) => {
      const finished = await Promise.resolve(inner.finish?.(asInner(changes), replies) ?? asInner(changes)).catch(
        expectCliError,
      );
      const known = finished instanceof CliError ? asInner(changes) : finished;
      const made = madeOf(all, known, replies);
      const items = await itemsNow(context, stack.uid, made);
      const observed = made.map((one) => ({ ...one, item: items?.get(one.difference.path) ?? one.item }));
      for (const one of observed) if (isStoredOtherwise(one)) stored.add(one.difference.path);
      await tryOrWarn(context.warn, `${lockFile} could not be written`, () =>
        updateLock(context, lockFile, linesAfter(stack.name, differences, observed), isStale(stack.name, observed)),
      );
      if (finished instanceof CliError) throw finished;
      return known.map((change, at) => withStored(asRecord(change, at), all[at] as Difference, { stored, items }));
    },
    followUp: async (changes) =>
      options.redeploy && changes.some(isMade) ? planRedeploy(context, stack.uid) : undefined,
    summarize: (changes) => {
      const { lines: _, unchanged: __, ...summary } = inner.summarize(asInner(changes));
      return { ...summary, lines: all.map((one, at) => lineFor(one, changes[at] as Change, stored)) };
    },
  };
}

interface Group {
  readonly section: FileSection;
  readonly own: readonly Difference[];
}

function groupsOf(differences: readonly Difference[]): readonly Group[] {
  const wanted = differences.filter(isWrite);
  return phases.flatMap((phase) =>
    fileSections.flatMap((section) => {
      const own = wanted.filter((one) => one.section === section && section.phaseOf(one) === phase);
      return own.length > 0 ? [{ section, own }] : [];
    }),
  );
}

function stepFor(context: Context, reader: StackReader, step: Step, difference: Difference): Step {
  const { section, path, item } = difference;
  return {
    ...step,
    id: { path },
    name: path,
    phase: phases.indexOf(section.phaseOf(difference)),
    ...valuesOf(context, difference, { before: step.before, after: step.after }),
    send: async () => {
      if (!context.dryRun && (await section.valueNow(reader, difference)) !== item?.value) {
        throw new CliError('rejected', `${path} changed meanwhile`, { nothing: 'sent', correction: {} });
      }
      try {
        return await step.send();
      } catch (error) {
        if (!(error instanceof CliError) || ['unauthenticated', 'forbidden'].includes(error.kind)) throw error;
        // The hint is the same command again: changes that were made are unchanged then.
        throw error.with({ hint: undefined, correction: {} });
      }
    },
  };
}

type Values = Pick<Change, 'before' | 'after'>;

function valuesOf(context: Pick<Context, 'reveal'>, difference: Difference, values: Values): Values {
  const textOf = (value: unknown) =>
    value == null ? value : (difference.section.textOf?.(value, difference) ?? value);
  return shownValues({ before: textOf(values.before), after: textOf(values.after) }, difference, context);
}

/** A change that was made, with the item after it where that is known. */
interface Made {
  readonly difference: Difference;
  readonly item: Item | undefined;
  /** As the reply to the change showed it. */
  readonly replied?: Item | undefined;
}

function madeOf(all: readonly Difference[], changes: readonly Change[], replies: readonly unknown[]): readonly Made[] {
  return all.flatMap((difference, at) => {
    const item = difference.section.inReply?.(replies[at]);
    return isMade(changes[at] as Change) ? [{ difference, item, replied: item }] : [];
  });
}

/** Undefined where the service could not be read after the changes. */
async function itemsNow(
  context: Context,
  stack_id: string,
  made: readonly Made[],
): Promise<ReadonlyMap<string, Item> | undefined> {
  const reader = readerOf(context, stack_id);
  const changed = [...new Set(made.map(({ difference: { section } }) => section))];
  const items = await Promise.all(changed.map((section) => section.read(reader))).catch(expectCliError);
  return items instanceof CliError ? undefined : new Map(items.flat().map((item) => [item.path, item]));
}

function isReachedNow({ difference, item }: Made): boolean {
  if (difference.action === 'delete') return item === undefined;
  return item !== undefined && (item.isHidden || isReached(difference.section, { ...difference, item }));
}

/** True if the service stored another form of the value, and the value was not set since. */
function isStoredOtherwise(one: Made): boolean {
  const { difference, item, replied } = one;
  if (item === undefined || isReachedNow(one)) return false;
  const wasReached = replied !== undefined && isReachedNow({ difference, item: replied });
  const isSetSince = wasReached && (replied.changed_at !== item.changed_at || replied.count !== item.count);
  return !isSetSince && item.value !== (difference.item?.value ?? null);
}

function linesAfter(stack: string, differences: readonly Difference[], made: readonly Made[]): readonly LockLine[] {
  const unchanged = differences.filter(({ action }) => action === 'unchanged');
  const seen = made.filter((one) => isReachedNow(one) || isStoredOtherwise(one));
  return [...unchanged, ...seen.map(({ difference, item }) => ({ ...difference, item }))].map((one) =>
    lockLineOf(stack, one, one.isMasked),
  );
}

/** True for the old lock line of a changed entry. It is dropped unless `linesAfter` has a new one. */
function isStale(stack: string, made: readonly Made[]): (line: LockLine) => boolean {
  const paths = new Set(made.map(({ difference: { path } }) => path));
  return (line) => line.stack === stack && paths.has(line.path);
}

function withStored(
  change: Change,
  difference: Difference,
  { stored, items }: { stored: ReadonlySet<string>; items: ReadonlyMap<string, Item> | undefined },
): Change {
  if (!stored.has(difference.path)) return change;
  const after = items?.get(difference.path)?.value ?? change.after;
  const shown = difference.isMasked ? mask : after;
  return { ...change, change: 'accepted', after: shown, message: `stored as ${valueText(shown)}` };
}

function lineFor({ action, path }: Difference, change: Change, stored: ReadonlySet<string>): string {
  const [before, after] = [change.before, change.after].map(shortText);
  if (stored.has(path)) return `${path}: accepted; the service stores it as ${after}`;
  if (action === 'create') return changeLine(path, change, verbs.create, [after ?? '']);
  if (action === 'delete') return changeLine(path, change, verbs.delete, [`was ${before}`]);
  return changeLine(path, change, verbs.update, [
    change.change === 'accepted' ? (before ?? '') : `${before} -> ${after}`,
  ]);
}

function shortText(value: unknown): string {
  return typeof value === 'string' ? displayValue(value, false) : valueText(value);
}
