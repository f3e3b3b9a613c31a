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
import { phases, type StackItem, type StackReader, type WriteOptions } from './section.ts';

export interface StepOptions extends WriteOptions {
  readonly redeploy?: boolean;
}

/** Plans the changes of one stack, in the order of their phases. After the changes, `finish` updates the lock file. */
export function planStack(context: Context, compared: ComparedStack, lockFile: string, options: StepOptions): Plan {
  const { stack, differences } = compared;
  const groups = groupByPhase(differences);
  const writes = groups.flat();
  const differenceAt = (at: number) => writes[at] as Difference;
  const plans = groups.map((group) => group[0].section.plan(context, stack.uid, group, options));
  const innerPlan = combinePlans(plans.map((plan) => ({ stack: '', plan })));
  const stepAt = (at: number) => innerPlan.steps[at] as Step;
  // The plan of a section expects change records with the ids and values of its own steps, so these are put back.
  const toInnerChanges = (changes: readonly Change[]) =>
    changes.map((change, at): Change => {
      const { id, before, after } = stepAt(at);
      return { ...change, ...id, before, after };
    });
  const toOuterChange = (change: Change, at: number): Change => {
    const otherFields = Object.entries(change).filter(([name]) => !(name in stepAt(at).id));
    const record = Object.fromEntries(otherFields) as unknown as Change;
    return { ...record, ...valuesOf(context, differenceAt(at), record) };
  };
  let otherForms: OtherForms = new Map();
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
      const madeChanges = writes.flatMap((difference, at) => {
        const repliedItem = difference.section.itemInReply?.(replies[at]);
        return isMadeOrAccepted(innerChanges[at] as Change) ? { difference, repliedItem } : [];
      });
      otherForms = await settleChanges(context, lockFile, compared, madeChanges);
      if (finishResult instanceof CliError) throw finishResult;
      return innerChanges.map((one, at) => {
        const after = otherForms.get(differenceAt(at).path);
        const otherForm = { change: 'accepted', after, message: `stored as ${valueText(after)}` } as const;
        return { ...toOuterChange(one, at), ...(after !== undefined && otherForm) };
      });
    },
    followUp: async (changes) =>
      options.redeploy && changes.some(isMadeOrAccepted) ? planRedeploy(context, stack.uid) : undefined,
    summarize: (changes) => {
      const { lines: _, unchanged: __, ...summary } = innerPlan.summarize(toInnerChanges(changes));
      const lineOf = (one: Difference, at: number) => resultLine(one, changes[at] as Change, otherForms);
      return { ...summary, lines: writes.map(lineOf) };
    },
  };
}

/** Returns the changes to send, a group for each phase. All changes of a phase belong to one section. */
function groupByPhase(differences: readonly Difference[]) {
  return phases.flatMap((phase) => {
    const [first, ...others] = differences.filter((one) => isWrite(one) && one.section.phaseOf(one) === phase);
    return first ? [[first, ...others] as const] : [];
  });
}

function stepFor(context: Context, reader: StackReader, step: Step, difference: Difference): Step {
  const { section, path, item } = difference;
  return {
    ...step,
    id: { path },
    name: path,
    phase: phases.indexOf(section.phaseOf(difference)),
    ...valuesOf(context, difference, step),
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
  /** The item as the reply to the change showed it; undefined if the reply did not. */
  readonly repliedItem: StackItem | undefined;
}

interface ObservedChange extends MadeChange {
  /** The item after the change, as last read; undefined if it does not exist or is not known. */
  readonly item: StackItem | undefined;
}

/** The values that the service stored in another form, as they are shown, by path. */
type OtherForms = ReadonlyMap<string, string>;

async function settleChanges(
  context: Context,
  lockFile: string,
  { stack, differences }: ComparedStack,
  madeChanges: readonly MadeChange[],
): Promise<OtherForms> {
  const reader = createStackReader(context, stack.uid);
  const sections = [...new Set(madeChanges.map(({ difference }) => difference.section))];
  // If the service cannot be read, the replies show the items.
  const items = await Promise.all(sections.map((section) => section.read(reader))).catch(expectCliError);
  const itemsByPath = new Map(items instanceof CliError ? [] : items.flat().map((item) => [item.path, item]));
  const observedChanges = madeChanges.map((one): ObservedChange => {
    return { ...one, item: itemsByPath.get(one.difference.path) ?? one.repliedItem };
  });
  const changesInOtherForm = observedChanges.filter(isStoredOtherwise);
  const settledChanges = observedChanges.filter((one) => hasWantedValueNow(one) || isStoredOtherwise(one));
  const lockLines = [
    ...differences.filter(({ action }) => action === 'unchanged'),
    ...settledChanges.map(({ difference, item }) => ({ ...difference, item })),
  ].map((one) => lockLineOf(stack.name, one, one.isMasked));
  // The old lock lines of changed entries are dropped. A new line takes the place of an old one.
  const changedPaths = new Set(observedChanges.map(({ difference }) => difference.path));
  const isOldLine = (line: LockLine) => line.stack === stack.name && changedPaths.has(line.path);
  await tryOrWarn(context.warn, `${lockFile} could not be written`, () =>
    updateLock(context, lockFile, lockLines, isOldLine),
  );
  return new Map(
    changesInOtherForm.map(({ difference: { path, isMasked }, item }) => [
      path,
      isMasked ? mask : (item?.value ?? 'null'),
    ]),
  );
}

function hasWantedValueNow({ difference, item }: Omit<ObservedChange, 'repliedItem'>): boolean {
  if (difference.action === 'delete') return item === undefined;
  return item !== undefined && (item.isHidden || hasWantedValue(difference.section, { ...difference, item }));
}

/** True if the service stored neither the old nor the requested value, unless the value was set after the reply. */
function isStoredOtherwise(one: ObservedChange): boolean {
  const { difference, item, repliedItem } = one;
  if (item === undefined || hasWantedValueNow(one)) return false;
  const replyHadWantedValue = repliedItem !== undefined && hasWantedValueNow({ difference, item: repliedItem });
  const isSetSince =
    replyHadWantedValue && (repliedItem.changed_at !== item.changed_at || repliedItem.count !== item.count);
  return !isSetSince && item.value !== (difference.item?.value ?? null);
}

function resultLine({ action, path }: Difference, change: Change, otherForms: OtherForms): string {
  const [before, after] = [change.before, change.after].map(shortText);
  if (otherForms.has(path)) return `${path}: accepted; the service stores it as ${after}`;
  if (action === 'create') return changeLine(path, change, verbs.create, [after ?? '']);
  if (action === 'delete') return changeLine(path, change, verbs.delete, [`was ${before}`]);
  const details = change.change === 'accepted' ? `${before}` : `${before} -> ${after}`;
  return changeLine(path, change, verbs.update, [details]);
}

function shortText(value: unknown): string {
  return typeof value === 'string' ? displayValue(value, false) : valueText(value);
}
