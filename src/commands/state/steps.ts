import { combinePlans } from '../../builders/execute/combine-plans.ts';
import { isMadeOrAccepted } from '../../builders/execute/send.ts';
import { changeLine, verbs } from '../../builders/execute/summary.ts';
import type { Context } from '../../contract/command.ts';
import type { Change, Plan, Step } from '../../contract/plan.ts';
import { groupBy } from '../../contract/values/group-by.ts';
import { valueText } from '../../contract/values/json.ts';
import { mask } from '../../contract/values/text.ts';
import { CliError, expectCliError, rethrowAs, tryOrWarn } from '../../errors/cli-error.ts';
import type { LockLine } from '../../state/lock.ts';
import { planRedeploy } from '../env/plan.ts';
import { displayValue, type VariableWrite } from '../env/variable.ts';
import { type Difference, hasWantedValue, isWrite, lockLineOf } from './compare.ts';
import { type ComparedStack, createStackReader } from './compare-file.ts';
import { holdStack, updateLock } from './lock-file.ts';
import { shownValues } from './rows.ts';
import type { StackItem, StackReader } from './section.ts';

export type StepOptions = Pick<VariableWrite, 'apply_strategy' | 'redeploy'>;

/** Plans the changes of one stack, in the order of their phases. After the changes, `finish` updates the lock file. */
export function planStack(context: Context, compared: ComparedStack, lockFile: string, options: StepOptions): Plan {
  const { stack, differences } = compared;
  const writes = differences.filter(isWrite).toSorted((one, other) => phaseOf(one) - phaseOf(other));
  // All changes of a phase belong to one section.
  const plans = [...groupBy(writes, phaseOf).values()].flatMap(
    (group) => group[0]?.section.planChanges(context, stack.uid, group, options) ?? [],
  );
  const innerPlan = combinePlans(plans.map((plan) => ({ stack: '', plan })));
  // The plan of a section expects change records with the ids and values of its own steps, so these are put back.
  const toInnerChanges = (changes: readonly Change[]) =>
    innerPlan.steps.map(({ id, before, after }, at) => ({ ...(changes[at] as Change), ...id, before, after }));
  let otherForms: OtherForms = new Map();
  const reader = createStackReader(context, stack.uid);
  return {
    printsList: true,
    waits: false,
    steps: writes.map((difference, at) => stepFor(context, reader, innerPlan.steps[at] as Step, difference)),
    hold: async () => holdStack(context, stack),
    finish: async (changes, replies) => {
      const sentChanges = toInnerChanges(changes);
      const finishResult = await innerPlan.finish?.(sentChanges, replies).catch(expectCliError);
      const innerChanges = finishResult instanceof CliError ? sentChanges : (finishResult ?? sentChanges);
      const madeChanges = writes.flatMap((one, at) => {
        const isMade = isMadeOrAccepted(innerChanges[at] as Change);
        return isMade ? { ...one, repliedItem: one.section.itemInReply?.(replies[at]) } : [];
      });
      otherForms = await settleChanges(context, compared, madeChanges, lockFile);
      if (finishResult instanceof CliError) throw finishResult;
      return writes.map((one, at) => {
        const { id } = innerPlan.steps[at] as Step;
        const outerFields = Object.entries(innerChanges[at] as Change).filter(([name]) => !(name in id));
        const change = Object.fromEntries(outerFields) as unknown as Change;
        const after = otherForms.get(one.path);
        const otherForm = { change: 'accepted', after, message: `stored as ${valueText(after)}` } as const;
        return { ...change, ...valuesOf(context, one, change), ...(after !== undefined && otherForm) };
      });
    },
    followUp: async (changes) =>
      options.redeploy && changes.some(isMadeOrAccepted) ? planRedeploy(context, stack.uid) : undefined,
    summarize: (changes) => ({
      ...innerPlan.summarize(toInnerChanges(changes)),
      unchanged: 0,
      lines: writes.map((one, at) => resultLine(one, changes[at] as Change, otherForms)),
    }),
  };
}

const phases: readonly string[] = ['settings', 'servers', 'tags', 'grow', 'env', 'shrink', 'delete'];

/** Returns the number of the phase of a change. Each phase begins after the previous one has ended. */
function phaseOf(difference: Difference): number {
  const { action, section } = difference;
  return phases.indexOf(action === 'delete' ? 'delete' : (section.phaseOf?.(difference) ?? section.name));
}

function stepFor(context: Context, reader: StackReader, step: Step, difference: Difference): Step {
  const { section, path, item } = difference;
  return {
    ...step,
    id: { path },
    name: path,
    phase: phaseOf(difference),
    ...valuesOf(context, difference, step),
    send: async () => {
      if (!context.dryRun && (await section.readValue(reader, difference)) !== item?.value) {
        throw new CliError('rejected', `${path} changed meanwhile`, { nothing: 'sent', correction: {} });
      }
      // The empty correction makes the hint the same command, which skips the changes that were already made.
      const withSameCommand = (error: CliError) =>
        ['unauthenticated', 'forbidden'].includes(error.kind) ? error : error.with({ hint: undefined, correction: {} });
      return step.send().catch(rethrowAs(withSameCommand));
    },
  };
}

type ChangeValues = Pick<Step, 'before' | 'after'>;

function valuesOf(context: Pick<Context, 'reveal'>, difference: Difference, values: ChangeValues): ChangeValues {
  const textOf = (value: unknown) => difference.section.textOf?.(value, difference) ?? value;
  return shownValues({ before: textOf(values.before), after: textOf(values.after) }, difference, context);
}

interface MadeChange extends Difference {
  /** The item as the reply to the change showed it; undefined if the reply did not. */
  readonly repliedItem: StackItem | undefined;
}

interface ObservedChange extends MadeChange {
  readonly oldItem: StackItem | undefined;
  /** The item after the change, as last read; undefined if it does not exist or is not known. */
  readonly item: StackItem | undefined;
}

/** The values that the service stored in another form, as they are shown, by path. */
type OtherForms = ReadonlyMap<string, string>;

/** Reads the items after the changes, updates the lock file, and returns the `OtherForms`. */
async function settleChanges(context: Context, compared: ComparedStack, made: readonly MadeChange[], lockFile: string) {
  const { stack, differences } = compared;
  const reader = createStackReader(context, stack.uid);
  const sections = new Set(made.map(({ section }) => section));
  // If the service cannot be read, the replies show the items.
  const items = await Promise.all([...sections].map((section) => section.read(reader))).catch(expectCliError);
  const itemsByPath = new Map(items instanceof CliError ? [] : items.flat().map((item) => [item.path, item]));
  const observedChanges = made.map((one): ObservedChange => {
    return { ...one, oldItem: one.item, item: itemsByPath.get(one.path) ?? one.repliedItem };
  });
  const changesInOtherForm = observedChanges.filter(isStoredOtherwise);
  const unchanged = differences.filter(({ action }) => action === 'unchanged');
  const settled = [...unchanged, ...observedChanges.filter(isDone), ...changesInOtherForm];
  const lines = settled.map((one) => lockLineOf(stack.name, one, one.isMasked));
  // The old lock lines of changed entries are dropped. A new line takes the place of an old one.
  const changedPaths = new Set(made.map(({ path }) => path));
  const isDroppedLine = (line: LockLine) => line.stack === stack.name && changedPaths.has(line.path);
  const update = () => updateLock(context, lockFile, { lines, isDroppedLine });
  await tryOrWarn(context.warn, `${lockFile} could not be written`, update);
  const shownForm = ({ isMasked, item }: ObservedChange) => (isMasked ? mask : (item?.value ?? 'null'));
  return new Map(changesInOtherForm.map((one) => [one.path, shownForm(one)]));
}

function isDone(difference: Difference): boolean {
  const { action, item } = difference;
  if (action === 'delete') return item === undefined;
  return item !== undefined && (item.isHidden || hasWantedValue(difference));
}

/** True if the service stored neither the old nor the requested value, unless the value was set after the reply. */
function isStoredOtherwise(change: ObservedChange): boolean {
  const { oldItem, item, repliedItem } = change;
  if (item === undefined || isDone(change)) return false;
  const wasDone = repliedItem !== undefined && isDone({ ...change, item: repliedItem });
  const isSetSince = wasDone && (repliedItem.changed_at !== item.changed_at || repliedItem.count !== item.count);
  return !isSetSince && item.value !== (oldItem?.value ?? null);
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
