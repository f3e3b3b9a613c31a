import { isSameValue } from '../../builders/execute/send.ts';
import { readAll } from '../../builders/resource/find.ts';
import type { Context } from '../../contract/command.ts';
import type { CommandLine, Hint } from '../../contract/command-line.ts';
import type { Plan, ReplacedValue, Step } from '../../contract/plan.ts';
import { groupBy } from '../../contract/values/group-by.ts';
import { valueText } from '../../contract/values/json.ts';
import { mask } from '../../contract/values/text.ts';
import { CliError } from '../../errors/cli-error.ts';
import { deployments } from '../../resources/deployment.ts';
import { variable } from '../../resources/env.ts';
import { isSecretSetting } from '../../resources/setting.ts';
import type { JournalEntry, JournalRun } from '../../writes/journal/entries.ts';
import { createValueMatcher, isRecentKey } from '../../writes/journal/hash-keys.ts';
import { planChangeSet } from '../env/change-set.ts';
import { earlierState, type RecordedVariable } from '../env/value-at.ts';
import { hashKeysOf, mayHaveBeenMade, valueInUndo } from './runs.ts';

type RunValues = { readonly values: readonly RecordedValue[]; readonly undo: readonly CommandLine[] };

/** Plans for a part of the values, or the reasons why they cannot be restored, with a command that may help. */
interface Restoration {
  readonly plans: readonly Plan[];
  readonly refusals: readonly string[];
  readonly hint?: Hint;
}

/** Plans how to restore the values of a run: variables from their history, other values by the recorded undo commands. */
export async function planRestore(context: Context, stack: string | undefined, { values, undo }: RunValues) {
  const variables = stack === undefined ? [] : values.filter(({ kind }) => kind === 'variable');
  const otherValues = values.filter((one) => !variables.includes(one));
  const isReplayedCommand = ({ path }: CommandLine) =>
    path !== 'action wait' && !(variables.length > 0 && path.startsWith('stack env '));
  const restorations: Restoration[] = [];
  if (stack !== undefined && variables.length > 0)
    restorations.push(await planVariableUndo(context, stack, { values: variables, undo }));
  if (otherValues.length > 0)
    restorations.push(await planReplay(context, { values: otherValues, undo: undo.filter(isReplayedCommand) }));
  return restorations;
}

async function planVariableUndo(context: Context, stack_id: string, { values, undo }: RunValues): Promise<Restoration> {
  const oldRows = await readAll(context, variable, { stack_id });
  const states = values.map((one) => {
    const undoValue = valueInUndo(undo, { key: one.key, stack_id });
    const row = oldRows.find(({ key }) => key === one.key);
    return earlierState({ ...one, undoValue }, row);
  });
  const refused = states.filter((state) => 'refusal' in state);
  const [first, ...others] = refused;
  if (!first) {
    const wanted = states.filter((state) => 'value' in state);
    return { plans: [planChangeSet(context, wanted, { stack_id, oldRows, origin: 'history' })], refusals: [] };
  }
  const [path, flags] = first.isValueLost ? ['stack env set', ['--stdin']] : ['stack env history', []];
  const hint =
    others.length === 0 ? { path, operands: [first.key], flags, stack_id } : { path: 'stack env history', stack_id };
  return { plans: [], refusals: refused.map(({ refusal }) => refusal), hint };
}

/** The commands are not trusted: the run must have left each value as it is, and the plan must restore the old one. */
async function planReplay(context: Context, { values, undo }: RunValues): Promise<Restoration> {
  const plans: Plan[] = [];
  try {
    for (const line of undo) plans.push(reversePlan(await planOfCommand(context, line)));
  } catch (error) {
    const kinds = ['usage', 'not_found', 'ambiguous', 'rejected'];
    if (!(error instanceof CliError) || !kinds.includes(error.kind)) throw error;
    return { plans: [], refusals: [error.fault] };
  }
  const steps = plans.flatMap((plan) => plan.steps);
  const edits = steps.flatMap(({ replaces = [], stack_id }) => replaces.map((one) => ({ ...one, stack: stack_id })));
  const isExpected = (edit: UndoEdit) => isIdleEdit(edit) || values.some((value) => isEditOf(value, edit));
  const otherLines = edits.filter((edit) => !isExpected(edit)).map(({ key }) => `${key} would change, too`);
  const unverifiedLines = steps.flatMap((one) => (one.isIdle || one.replaces?.length ? [] : unverifiedText(one.name)));
  const refusals = [...values.flatMap((value) => refusalOf(value, edits) ?? []), ...otherLines, ...unverifiedLines];
  return { plans, refusals };
}

async function planOfCommand(context: Context, line: CommandLine): Promise<Plan> {
  const { command, input, resolveTarget } = await context.host.readPrinted(line);
  const { handler } = command;
  const commandContext = { ...context, command: line.path, resolveTarget };
  const plan = handler.kind === 'writes' ? await handler.plan(commandContext, input) : undefined;
  if (plan && !plan.followUp) return plan;
  throw new CliError('rejected', unverifiedText(line.path));
}

type UndoEdit = ReplacedValue & { readonly stack: unknown };

function isEditOf(value: RecordedValue, { stack, kind, key }: UndoEdit): boolean {
  return value.stack === stack && value.kind === kind && value.key === key;
}

function isIdleEdit({ before, after }: ReplacedValue): boolean {
  return isSameValue(before, after);
}

function refusalOf(value: RecordedValue, edits: readonly UndoEdit[]): string | undefined {
  const { key, isValue, isQueued, left } = value;
  const edit = edits.find((one) => isEditOf(value, one));
  if (!edit)
    return isValue('before', null) ? `${key} was not set before, and cannot be unset` : `needs the value: ${key}`;
  const { before: currentValue, after: wanted } = edit;
  if (isQueued && isValue('before', currentValue)) return `${key} is as it was before, and the change is still queued`;
  const leftValue = left !== undefined && isValue('after', left) ? left : undefined;
  if (isIdleEdit(edit) || isValue('after', currentValue) || areTimesNear(currentValue, leftValue)) {
    return isValue('before', wanted) ? undefined : unverifiedText(key);
  }
  const shownText = (value: unknown) => valueText(maskIfSecret(key, value));
  return `${edit.title ?? key} is now ${shownText(currentValue)}; the change left ${leftValue === undefined ? 'another value' : shownText(leftValue)}`;
}

/** True if two closing times of a gateway differ by at most 3 seconds, because the recorded time is an estimate. */
function areTimesNear(one: unknown, other: unknown): boolean {
  const msOf = (time: unknown) => (/^\d{4}-.*Z$/.test(String(time)) ? Date.parse(String(time)) : NaN);
  return Math.abs(msOf(one) - msOf(other)) <= 3_000;
}

function maskIfSecret(key: string, value: unknown): unknown {
  return isSecretSetting({ key, value }) ? mask : value;
}

function unverifiedText(name: string): string {
  return `${name}: its record cannot be verified`;
}

function previewOf(steps: readonly Step[]): Plan['preview'] {
  const values = steps.flatMap(({ replaces = [] }) => replaces);
  const rows = values.map((one) => {
    const { key } = one;
    const [before, after] = [maskIfSecret(key, one.before), maskIfSecret(key, one.after)];
    return { key, action: isIdleEdit(one) ? 'unchanged' : 'update', before, after, reason: null } as const;
  });
  const lines = rows.flatMap(({ key, action, before, after }, at) =>
    action === 'update' ? [`~ ${values[at]?.title ?? key}  ${valueText(before)} -> ${valueText(after)}`] : [],
  );
  const idleCount = rows.length - lines.length;
  return { changes: rows, lines: [...lines, ...(idleCount > 0 ? [`= ${idleCount} unchanged`] : [])] };
}

function reversePlan({ steps, finish, summarize }: Plan): Plan {
  const reversed = steps.toReversed();
  return {
    preview: previewOf(reversed),
    steps: reversed.map((step) => ({ ...step, id: { key: step.name } })),
    finish: async (changes, replies) => {
      const finished = await finish?.(changes.toReversed(), replies.toReversed());
      return finished?.toReversed() ?? changes;
    },
    summarize: (changes) => {
      const ownChanges = changes.toReversed().map((change, at) => ({ ...change, ...steps[at]?.id }));
      const { lines, ...summary } = summarize(ownChanges);
      return { ...summary, lines: steps.length > 1 ? lines.toReversed() : lines };
    },
  };
}

interface RecordedValue extends Omit<RecordedVariable, 'undoValue'> {
  readonly stack: string | undefined;
  readonly kind: string;
  /** The value after the change, if the journal holds it; else undefined. */
  readonly left: unknown;
}

/** Returns the values that a run replaced. Throws `rejected` if the run cannot be undone. */
export function replacedValues({ number, changes, undoable }: JournalRun, context: Context): readonly RecordedValue[] {
  const hashKeys = hashKeysOf(context).readRecent();
  const undoError = (why: string) => new CliError('rejected', `change ${number} ${why}`, { nothing: 'changed' });
  const entries = changes.filter(mayHaveBeenMade);
  if (entries.length === 0) throw new CliError('rejected', `change ${number} was not made; there is nothing to undo`);
  const reversibleChanges = entries.filter((change) => !isRedeployment(change));
  if (reversibleChanges.length === 0) throw undoError('is a deployment, which cannot be undone');
  // An `apply` is undone as a whole or not at all. For other commands the undo leaves out a redeployment at the end.
  if (reversibleChanges.length < entries.length && context.host.firstWord(changes[0].sent.command) === 'apply')
    throw undoError('also redeployed the stack, which cannot be undone');
  const values = reversibleChanges.map(({ sent, answered, ended }) => {
    const { stack } = sent;
    const isQueued = answered?.outcome === 'queued' && ended?.outcome !== 'succeeded';
    return [sent.value ?? [], sent.values ?? []].flat().map((hashedValue) => {
      const { kind = 'variable', key, left, hash_key } = hashedValue;
      const isValue = createValueMatcher(sent, hashedValue, hashKeys);
      if (isValue) return { stack, kind, key, isValue, isQueued, left };
      // The key of an expired hash was deleted. Any other hash without a stored key may be forged.
      if (hash_key === undefined || isRecentKey(hash_key, context.now()))
        throw undoError('cannot be undone: its record cannot be verified').with({ isUnverifiedEntry: true });
      const isVariable = kind === 'variable' && stack !== undefined;
      const hint = isVariable
        ? { path: 'stack env history', operands: [key], stack_id: stack }
        : historyShowCommand(number);
      throw undoError('cannot be undone: the hashes of its values expired after 30 days').with({ hint });
    });
  });
  if (values.every((of) => of.length > 0)) return mergeRepeats(values.flat());
  throw undoError(undoable ? 'cannot be undone here: its state was not recorded' : 'cannot be undone');
}

/** Merges repeated changes of a value, as by a ramp, into one change from the first old to the last new value. */
function mergeRepeats(values: readonly RecordedValue[]): readonly RecordedValue[] {
  const groups = groupBy(values, ({ stack, kind, key }) => JSON.stringify([stack, kind, key]));
  return [...groups.values()].map((changes) =>
    changes.reduce((first, last) => ({
      ...last,
      isValue: (role, value) => (role === 'before' ? first : last).isValue(role, value),
    })),
  );
}

export function historyShowCommand(number: number): CommandLine {
  return { path: 'history show', operands: [String(number)] };
}

/** True for a change that only started a deployment, alone or at the end of a run with `--redeploy`. */
export function isRedeployment({ sent }: JournalEntry): boolean {
  return sent.operation === `POST ${deployments.create.path}`;
}
