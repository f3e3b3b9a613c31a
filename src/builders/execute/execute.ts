import type { Context } from '../../contract/command.ts';
import type { WatchStatus } from '../../contract/observe.ts';
import type { Change, ObservedChange, Outcome, Plan, Step, Summary } from '../../contract/plan.ts';
import { isObject } from '../../contract/values/json.ts';
import {
  asCliError,
  CliError,
  type ErrorKind,
  rethrowAs,
  rethrowWithPartial,
  tryOrWarn,
} from '../../errors/cli-error.ts';
import { type Action, actionInReply, isSuccessful } from '../../resources/action.ts';
import { changeEach, inSentences } from './change-each.ts';

/** Sends a plan. If a change fails, the error has all changes as `partial`. After a request other faults only warn. */
export async function execute(context: Context, plan: Plan): Promise<Outcome> {
  const { followUp } = plan;
  const release = context.dryRun ? undefined : await plan.hold?.();
  const outcomeOfPlan = (changes: readonly Change[]) => outcomeOf(context, plan, changes);
  const changes = await performSteps(context, plan).catch(rethrowWithPartial(outcomeOfPlan)).finally(release);
  const outcome = await outcomeOf(context, plan, changes);
  if (!followUp) return outcome;
  try {
    const followUpPlan = await followUp(changes);
    return appendOutcome(outcome, followUpPlan ? await execute(context, followUpPlan) : { data: [], lines: [] });
  } catch (error) {
    throw context.dryRun ? error : followUpError(asCliError(error, 'unavailable'), outcome, plan);
  }
}

async function performSteps(context: Context, plan: Plan): Promise<readonly Change[]> {
  const { finish = async (changes) => changes, steps, waits = context.wait } = plan;
  const replies = new Map<Step, unknown>();
  const finishOrWarn = async (changes: readonly Change[]): Promise<readonly Change[]> => {
    const warningText = 'the change was made, but the new state could not be read';
    const repliesInOrder = steps.map((step) => replies.get(step));
    return (await tryOrWarn(context.warn, warningText, () => finish(changes, repliesInOrder))) ?? changes;
  };
  const changes = await sendSteps(context, plan, replies).catch(rethrowWithPartial(finishOrWarn));
  if (context.dryRun) return changes;
  const observed = await finishOrWarn(changes);
  const results = waits ? await waitUntilVisible(context, plan, observed, () => finish(changes, [])) : observed;
  assertNoOverwrites(results);
  return results;
}

function sendSteps(context: Context, { steps, atOnce }: Plan, replies: Map<Step, unknown>): Promise<readonly Change[]> {
  return changeEach<Step, Change>(context, steps, {
    ...(atOnce && { atOnce }),
    nameOf: ({ name }) => name,
    phaseOf: ({ phase = 0 }) => phase,
    changeItem: async (step) => {
      if (step.isIdle) return recordOf(step, { change: 'unchanged', after: step.before ?? null });
      const reply: unknown = await step.send();
      replies.set(step, reply);
      return changeOf(context, step, reply);
    },
    outcomeOf: ({ change }) => (change === 'unchanged' ? undefined : doneText(change)),
    unfinishedRow: async (step, error, observed) => {
      const readUnfinished = () => (observed === undefined ? {} : step.unfinished?.(observed));
      const seen = await tryOrWarn(context.warn, 'what was seen of the change could not be read', readUnfinished);
      const record = recordOf(step, { change: changeStateForError(error), ...seen });
      return { ...record, action: actionInReply(observed) ?? null, error };
    },
  });
}

/** Returns the outcome of a plan that was not executed. Without an `error` its changes count as not tried. */
export async function unexecutedOutcome(context: Context, plan: Plan, error: Change['error']): Promise<Outcome> {
  const changes = plan.steps.map((step) => ({ ...recordOf(step, { change: changeStateForError(error) }), error }));
  return outcomeOf(context, plan, changes);
}

function doneText(change: Change['change']): string {
  return change === 'password_changed' ? 'given a new password' : change.replace('_', ' ');
}

function assertNoOverwrites(changes: readonly Change[]): void {
  const overwriteTexts = changes.flatMap(({ error }) => error?.message ?? []);
  if (overwriteTexts.length === 0) return;
  throw new CliError('rejected', inSentences(overwriteTexts), { partial: { value: changes } });
}

async function outcomeOf(context: Context, plan: Plan, changes: readonly Change[]): Promise<Outcome> {
  const { printsList, steps, summarize } = plan;
  const summary = await tryOrWarn(context.warn, 'the result could not be described', () => summarize(changes));
  const plainLines = steps.map(({ name }, at) => `${name}: ${changes[at]?.change}`);
  const { lines, unchanged = 0, closing = [], ...rest }: Summary = summary ?? { lines: plainLines };
  const unchangedLines = unchanged > 0 ? [`${unchanged} unchanged`] : [];
  return { data: printsList ? changes : changes[0], ...rest, lines: [...lines, ...unchangedLines, ...closing] };
}

async function changeOf(context: Context, step: Step, reply: unknown): Promise<Change> {
  if (context.dryRun) return recordOf(step, { change: step.change });
  const action = actionInReply(reply) ?? null;
  const isQueued = action !== null && !isSuccessful(action);
  const readReply = () => (isQueued ? step.unfinished?.(reply) : step.done?.(reply));
  const warningText = 'the change was made, but its reply could not be read';
  const observedChange = await tryOrWarn(context.warn, warningText, readReply);
  const actionResult: ObservedChange = isQueued ? { change: 'queued' } : { message: messageIn(reply, action) };
  return { ...recordOf(step, { change: step.change, ...actionResult, ...observedChange }), action };
}

function recordOf(step: Step, { id, change, ...observed }: ObservedChange & Pick<Change, 'change'>): Change {
  const { before, after } = { before: null, after: null, ...step };
  return { ...step.id, ...id, change, before, after, action: null, message: null, error: null, ...observed };
}

function messageIn(reply: unknown, action: Action | null): string | null {
  if (action) return action.finished_message || null;
  if (!isObject(reply)) return null;
  const { message } = reply;
  return typeof message === 'string' && message !== '' ? message : null;
}

function changeStateForError(error: Change['error']): Change['change'] {
  if (!error) return 'not_tried';
  if (error.code === 'pending') return 'queued';
  return error.code === 'outcome_unknown' ? 'unknown' : 'failed';
}

/** Kinds of errors that keep their exit code if a follow-up fails. Other codes would mean that nothing was changed. */
const kindsKeepingExitCode: readonly ErrorKind[] = ['operation_failed', 'pending', 'outcome_unknown', 'interrupted'];

function followUpError(error: CliError, firstOutcome: Outcome, { unfollowed }: Plan): CliError {
  const { kind, fault, details } = error;
  const followUpOutcome = details.partial?.value as Outcome | undefined;
  const { text = 'The changes before it were made', hint } = unfollowed?.(error) ?? {};
  const partial = { value: followUpOutcome ? appendOutcome(firstOutcome, followUpOutcome) : firstOutcome };
  const exitCode = kindsKeepingExitCode.includes(kind) ? details.exitCode : 1;
  return error.with({ hint: hint ?? details.hint, exitCode, partial }, inSentences([fault, text]));
}

function appendOutcome(first: Outcome, second: Outcome): Outcome {
  return { ...first, data: [first.data, second.data].flat(), lines: [...first.lines, ...second.lines] };
}

async function waitUntilVisible(
  context: Context,
  { steps }: Plan,
  firstChanges: readonly Change[],
  read: () => Promise<readonly Change[]>,
) {
  const names = steps.filter((_, at) => firstChanges[at]?.change === 'accepted').map(({ name }) => name);
  if (names.length === 0) return firstChanges;
  let uncheckedChanges: readonly Change[] | undefined = firstChanges;
  let observed = firstChanges;
  const checkChanges = async (): Promise<WatchStatus> => {
    // The change may have succeeded although it could not be read, so the error is pending and not internal.
    observed = uncheckedChanges ?? (await read().catch((error) => Promise.reject(asCliError(error, 'pending'))));
    uncheckedChanges = undefined;
    if (observed.some(isAccepted)) return { state: 'running', text: 'accepted, not shown yet', value: observed };
    return { state: 'good', text: 'shown', value: observed };
  };
  const withRecords = (error: CliError) => {
    const { kind: code, message } = error;
    const records = observed.map((change) => (isAccepted(change) ? { ...change, error: { code, message } } : change));
    return error.with({ partial: { value: records } });
  };
  const watch = { name: names.join(', '), resume: undefined, check: checkChanges };
  await context.follow(watch).catch(rethrowAs(withRecords));
  return observed;
}

function isAccepted({ change }: Change): boolean {
  return change === 'accepted';
}
