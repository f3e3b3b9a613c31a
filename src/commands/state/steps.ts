import { combinePlans } from '../../builders/execute/combine-plans.ts';
import { isMadeOrAccepted } from '../../builders/execute/send.ts';
import { changeLine, verbs } from '../../builders/execute/summary.ts';
import type { Context } from '../../contract/command.ts';
import type { Change, Plan, Step } from '../../contract/plan.ts';
import { valueText } from '../../contract/values/json.ts';
import { mask } from '../../contract/values/text.ts';
import { CliError, expectCliError, tryOrWarn } from '../../errors/cli-error.ts';
import type { LockLine } from '../../state/lock.ts';
import { planRedeploy } from '../env/plan.ts';
import { displayValue } from '../env/variable.ts';
import { type Difference, hasWantedValue, lockLineOf } from './compare.ts';
import { stackHold, updateLock } from './lock-file.ts';
import { type ComparedStack, createStackReader } from './read.ts';
import { isWrite, shownValues } from './rows.ts';
import { type FileSection, phases, type StackItem, type StackReader, type WriteOptions } from './section.ts';
import { fileSections } from './sections/index.ts';
import type { OpenFile } from './stack-file.ts';

export interface StepOptions extends WriteOptions {
  readonly redeploy?: boolean;
}

/** Plans the changes of one stack, in the order of their phases. After the changes, `finish` updates the lock file. */
export function planStack(
  context: Context,
  { stack, differences }: ComparedStack,
  { lockFile }: Pick<OpenFile, 'lockFile'>,
  options: StepOptions,
): Plan {
  const groups = groupByPhase(differences);
  const writes = groups.flatMap((group) => group.differences);
  const differenceAt = (at: number) => writes[at] as Difference;
  const plans = groups.map((group) => group.section.plan(context, stack.uid, group.differences, options));
  const innerPlan = combinePlans(plans.map((plan) => ({ stack: '', plan })));
  const stepAt = (at: number) => innerPlan.steps[at] as Step;
  // The plan of a section expects change records with the ids and values of its own steps, so these are put back.
  const toInnerChanges = (changes: readonly Change[]) =>
    changes.map((change, at): Change => {
      const { id, before, after } = stepAt(at);
      return { ...change, ...id, before, after };
    });
  const outerChange = (change: Change, at: number): Change => {
    const otherFields = Object.entries(change).filter(([name]) => !(name in stepAt(at).id));
    const record = Object.fromEntries(otherFields) as unknown as Change;
    return { ...record, ...valuesOf(context, differenceAt(at), record) };
  };
  const storedPaths = new Set<string>();
  const reader = createStackReader(context, stack.uid);
  return {
    printsList: true,
    waits: false,
    steps: innerPlan.steps.map((step, at) => stepFor(context, reader, step, differenceAt(at))),
    hold: async () => stackHold(context, stack).take(),
    finish: async (changes, replies) => {
      const sentChanges = toInnerChanges(changes);
      const finishing = Promise.resolve(innerPlan.finish?.(sentChanges, replies) ?? sentChanges);
      const finishResult = await finishing.catch(expectCliError);
      const innerChanges = finishResult instanceof CliError ? sentChanges : finishResult;
      const madeChanges = writes.flatMap((difference, at): readonly MadeChange[] => {
        const item = difference.section.itemInReply?.(replies[at]);
        return isMadeOrAccepted(innerChanges[at] as Change) ? [{ difference, item, repliedItem: item }] : [];
      });
      const items = await readItems(context, stack.uid, madeChanges);
      const observedChanges = madeChanges.map((one) => ({ ...one, item: items?.get(one.difference.path) ?? one.item }));
      for (const one of observedChanges) if (isStoredOtherwise(one)) storedPaths.add(one.difference.path);
      const lockLines = newLockLines(stack.name, differences, observedChanges);
      // The old lock lines of changed entries are dropped. A new line in `lockLines` takes the place of an old one.
      const changedPaths = new Set(observedChanges.map(({ difference: { path } }) => path));
      const isOldLine = (line: LockLine) => line.stack === stack.name && changedPaths.has(line.path);
      await tryOrWarn(context.warn, `${lockFile} could not be written`, () =>
        updateLock(context, lockFile, lockLines, isOldLine),
      );
      if (finishResult instanceof CliError) throw finishResult;
      return innerChanges.map((one, at) => withStored(outerChange(one, at), differenceAt(at), { storedPaths, items }));
    },
    followUp: async (changes) =>
      options.redeploy && changes.some(isMadeOrAccepted) ? planRedeploy(context, stack.uid) : undefined,
    summarize: (changes) => {
      const { lines: _, unchanged: __, ...summary } = innerPlan.summarize(toInnerChanges(changes));
      return { ...summary, lines: writes.map((one, at) => resultLine(one, changes[at] as Change, storedPaths)) };
    },
  };
}

interface PhaseGroup {
  readonly section: FileSection;
  readonly differences: readonly Difference[];
}

function groupByPhase(differences: readonly Difference[]): readonly PhaseGroup[] {
  const writes = differences.filter(isWrite);
  return phases.flatMap((phase) =>
    fileSections.flatMap((section) => {
      const phaseDifferences = writes.filter((one) => one.section === section && section.phaseOf(one) === phase);
      return phaseDifferences.length > 0 ? [{ section, differences: phaseDifferences }] : [];
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
      if (!context.dryRun && (await section.readValue(reader, difference)) !== item?.value) {
        throw new CliError('rejected', `${path} changed meanwhile`, { nothing: 'sent', correction: {} });
      }
      try {
        return await step.send();
      } catch (error) {
        if (!(error instanceof CliError) || ['unauthenticated', 'forbidden'].includes(error.kind)) throw error;
        // The empty correction makes the hint the same command, which skips the changes that were already made.
        throw error.with({ hint: undefined, correction: {} });
      }
    },
  };
}

type ChangeValues = Pick<Change, 'before' | 'after'>;

function valuesOf(context: Pick<Context, 'reveal'>, difference: Difference, values: ChangeValues): ChangeValues {
  const textOf = (value: unknown) =>
    value == null ? value : (difference.section.textOf?.(value, difference) ?? value);
  return shownValues({ before: textOf(values.before), after: textOf(values.after) }, difference, context);
}

interface MadeChange {
  readonly difference: Difference;
  /** The item after the change, as last read; undefined if it does not exist or is not known. */
  readonly item: StackItem | undefined;
  /** The item as the reply to the change showed it. */
  readonly repliedItem?: StackItem | undefined;
}

/** Reads the sections of the changes again, as items by path; returns undefined if the service could not be read. */
async function readItems(
  context: Context,
  stack_id: string,
  madeChanges: readonly MadeChange[],
): Promise<ReadonlyMap<string, StackItem> | undefined> {
  const reader = createStackReader(context, stack_id);
  const sections = [...new Set(madeChanges.map(({ difference: { section } }) => section))];
  const items = await Promise.all(sections.map((section) => section.read(reader))).catch(expectCliError);
  return items instanceof CliError ? undefined : new Map(items.flat().map((item) => [item.path, item]));
}

function hasWantedValueNow({ difference, item }: MadeChange): boolean {
  if (difference.action === 'delete') return item === undefined;
  return item !== undefined && (item.isHidden || hasWantedValue(difference.section, { ...difference, item }));
}

/** True if the service stored neither the old nor the requested value, unless the value was set after the reply. */
function isStoredOtherwise(one: MadeChange): boolean {
  const { difference, item, repliedItem } = one;
  if (item === undefined || hasWantedValueNow(one)) return false;
  const replyHadWantedValue = repliedItem !== undefined && hasWantedValueNow({ difference, item: repliedItem });
  const isSetSince =
    replyHadWantedValue && (repliedItem.changed_at !== item.changed_at || repliedItem.count !== item.count);
  return !isSetSince && item.value !== (difference.item?.value ?? null);
}

function newLockLines(stack: string, differences: readonly Difference[], made: readonly MadeChange[]): LockLine[] {
  const unchangedEntries = differences.filter(({ action }) => action === 'unchanged');
  const settledChanges = made.filter((one) => hasWantedValueNow(one) || isStoredOtherwise(one));
  return [...unchangedEntries, ...settledChanges.map(({ difference, item }) => ({ ...difference, item }))].map((one) =>
    lockLineOf(stack, one, one.isMasked),
  );
}

function withStored(
  change: Change,
  difference: Difference,
  { storedPaths, items }: { storedPaths: ReadonlySet<string>; items: ReadonlyMap<string, StackItem> | undefined },
): Change {
  if (!storedPaths.has(difference.path)) return change;
  const after = items?.get(difference.path)?.value ?? change.after;
  const shownValue = difference.isMasked ? mask : after;
  return { ...change, change: 'accepted', after: shownValue, message: `stored as ${valueText(shownValue)}` };
}

function resultLine({ action, path }: Difference, change: Change, storedPaths: ReadonlySet<string>): string {
  const [before, after] = [change.before, change.after].map(shortText);
  if (storedPaths.has(path)) return `${path}: accepted; the service stores it as ${after}`;
  if (action === 'create') return changeLine(path, change, verbs.create, [after ?? '']);
  if (action === 'delete') return changeLine(path, change, verbs.delete, [`was ${before}`]);
  return changeLine(path, change, verbs.update, [
    change.change === 'accepted' ? (before ?? '') : `${before} -> ${after}`,
  ]);
}

function shortText(value: unknown): string {
  return typeof value === 'string' ? displayValue(value, false) : valueText(value);
}
