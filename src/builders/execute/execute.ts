import type { Context } from '../../contract/command.ts';
import type { WatchStatus } from '../../contract/observe.ts';
import type { Change, ObservedChange, Outcome, Plan, Step, Summary } from '../../contract/plan.ts';
import { CliError, type ErrorKind, tryOrWarn, whyText } from '../../errors/cli-error.ts';
import { type Action, actionOf, isSuccessful } from '../../resources/action.ts';
import { changeEach, inSentences } from './change-each.ts';

/**
 * Sends the changes of a plan and returns their outcome. If a change fails, the outcome of all changes is the `partial`
 * of the error. Once a request was sent, any other failure, such as that of a read, is only a warning.
 */
export async function execute(context: Context, plan: Plan): Promise<Outcome> {
  const changes = await performWithHold(context, plan);
  const outcome = await outcomeOf(context, plan, changes);
  if (!plan.followUp) return outcome;
  const followUp = async (): Promise<Outcome> => {
    const followUpPlan = await plan.followUp?.(changes);
    return followUpPlan ? execute(context, followUpPlan) : { data: [], lines: [] };
  };
  return context.dryRun ? appendOutcome(outcome, await followUp()) : withFollowUp(outcome, followUp, plan);
}

async function performWithHold(context: Context, plan: Plan): Promise<readonly Change[]> {
  const release = context.dryRun ? undefined : await plan.hold?.();
  try {
    return await performSteps(context, plan);
  } finally {
    release?.();
  }
}

async function performSteps(context: Context, plan: Plan): Promise<readonly Change[]> {
  const { finish = async (changes) => changes, steps, waits = context.wait } = plan;
  const replies = new Map<Step, unknown>();
  const finishOrWarn = async (changes: readonly Change[]): Promise<readonly Change[]> => {
    const warningText = 'the change was made, but the new state could not be read';
    const repliesInOrder = () => steps.map((step) => replies.get(step));
    return (await tryOrWarn(context.warn, warningText, () => finish(changes, repliesInOrder()))) ?? changes;
  };
  try {
    const changes = await sendSteps(context, plan, replies).catch(async (error) => {
      throw await withPartial(error, finishOrWarn);
    });
    if (context.dryRun) return changes;
    const observed = await finishOrWarn(changes);
    const results = waits ? await waitUntilVisible(context, steps, observed, () => finish(changes, [])) : observed;
    assertNoOverwrites(results);
    return results;
  } catch (error) {
    throw await withPartial(error, (changes) => outcomeOf(context, plan, changes));
  }
}

function sendSteps(context: Context, { steps, atOnce }: Plan, replies: Map<Step, unknown>): Promise<readonly Change[]> {
  return changeEach<Step, Change>(context, steps, {
    ...(atOnce && { atOnce }),
    nameOf: ({ name }) => name,
    phaseOf: ({ phase = 0 }) => phase,
    changeItem: async (step) => {
      if (step.isIdle) return recordOf(step, { change: 'unchanged', after: step.before });
      const reply: unknown = await step.send();
      replies.set(step, reply);
      return changeOf(context, step, reply);
    },
    outcomeOf: ({ change }) => (change === 'unchanged' ? undefined : doneText(change)),
    unfinishedRow: async (step, error, observed) => {
      const readUnfinished = () => (observed === undefined ? {} : step.unfinished?.(observed));
      const seen = await tryOrWarn(context.warn, 'what was seen of the change could not be read', readUnfinished);
      return { ...recordOf(step, { change: changeState(error), ...seen }), action: actionOf(observed) ?? null, error };
    },
  });
}

/** Returns the outcome of a plan that was not executed. Without an `error` its changes count as not tried. */
export async function unexecutedOutcome(context: Context, plan: Plan, error: Change['error']): Promise<Outcome> {
  const changes = plan.steps.map((step) => ({ ...recordOf(step, { change: changeState(error) }), error }));
  return outcomeOf(context, plan, changes);
}

async function withPartial(error: unknown, finish: (changes: readonly Change[]) => Promise<unknown>): Promise<unknown> {
  if (!(error instanceof CliError) || !error.details.partial) return error;
  return error.with({ partial: { value: await finish(error.details.partial.value as readonly Change[]) } });
}

function doneText(change: Change['change']): string {
  return change === 'password_changed' ? 'given a new password' : change.replace('_', ' ');
}

function assertNoOverwrites(changes: readonly Change[]): void {
  const overwrites = changes.flatMap(({ error }) => error ?? []);
  if (overwrites.length === 0) return;
  throw new CliError('rejected', inSentences(overwrites.map(({ message }) => message)), {
    partial: { value: changes },
  });
}

async function outcomeOf(
  context: Context,
  { printsList, steps, summarize }: Plan,
  changes: readonly Change[],
): Promise<Outcome> {
  const summary = await tryOrWarn(context.warn, 'the result could not be described', () => summarize(changes));
  const plainLines = steps.map(({ name }, at) => `${name}: ${changes[at]?.change}`);
  const { lines, unchanged = 0, closing = [], ...rest }: Summary = summary ?? { lines: plainLines };
  const unchangedLines = unchanged > 0 ? [`${unchanged} unchanged`] : [];
  return { data: printsList ? changes : changes[0], ...rest, lines: [...lines, ...unchangedLines, ...closing] };
}

async function changeOf(context: Context, step: Step, reply: unknown): Promise<Change> {
  if (context.dryRun) return recordOf(step, { change: step.change });
  const action = actionOf(reply) ?? null;
  const isQueued = action !== null && !isSuccessful(action);
  const readReply = () => (isQueued ? step.unfinished?.(reply) : step.done?.(reply));
  const observedChange = await tryOrWarn(
    context.warn,
    'the change was made, but its reply could not be read',
    readReply,
  );
  const actionResult: ObservedChange = isQueued ? { change: 'queued' } : { message: messageIn(reply, action) };
  return { ...recordOf(step, { change: step.change, ...actionResult, ...observedChange }), action };
}

function recordOf(step: Step, { id, change, ...observed }: ObservedChange & Pick<Change, 'change'>): Change {
  const { before, after } = step;
  return { ...step.id, ...id, change, before, after, action: null, message: null, error: null, ...observed };
}

function messageIn(reply: unknown, action: Action | null): string | null {
  if (action) return action.finished_message || null;
  if (typeof reply !== 'object' || reply === null || !('message' in reply)) return null;
  return typeof reply.message === 'string' && reply.message !== '' ? reply.message : null;
}

function changeState(error: Change['error']): Change['change'] {
  if (!error) return 'not_tried';
  if (error.code === 'pending') return 'queued';
  return error.code === 'outcome_unknown' ? 'unknown' : 'failed';
}

/** Kinds of errors that keep their exit code if a follow-up fails. Other codes would mean that nothing was changed. */
const kindsKeepingExitCode: readonly ErrorKind[] = ['operation_failed', 'pending', 'outcome_unknown', 'interrupted'];

async function withFollowUp(first: Outcome, followUp: () => Promise<Outcome>, { unfollowed }: Plan): Promise<Outcome> {
  try {
    return appendOutcome(first, await followUp());
  } catch (failure) {
    const error = failure instanceof CliError ? failure : new CliError('unavailable', whyText(failure));
    const { kind, fault, details } = error;
    const followUpOutcome = details.partial?.value as Outcome | undefined;
    const { text = 'The changes before it were made', hint } = unfollowed?.(error) ?? {};
    const partial = { value: followUpOutcome ? appendOutcome(first, followUpOutcome) : first };
    const isPartial = !kindsKeepingExitCode.includes(kind);
    throw error.with({ ...(hint && { hint }), ...(isPartial && { exitCode: 1 }), partial }, inSentences([fault, text]));
  }
}

function appendOutcome(first: Outcome, second: Outcome): Outcome {
  return { ...first, data: [first.data, second.data].flat(), lines: [...first.lines, ...second.lines] };
}

async function waitUntilVisible(
  context: Context,
  steps: readonly Step[],
  firstChanges: readonly Change[],
  read: () => Promise<readonly Change[]>,
): Promise<readonly Change[]> {
  const names = steps.filter((_, at) => firstChanges[at]?.change === 'accepted').map(({ name }) => name);
  if (names.length === 0) return firstChanges;
  let uncheckedChanges: readonly Change[] | undefined = firstChanges;
  let observed = firstChanges;
  const check = async (): Promise<WatchStatus> => {
    observed = uncheckedChanges ?? (await read().catch(throwAsPending));
    uncheckedChanges = undefined;
    if (observed.some(isAccepted)) return { state: 'running', text: 'accepted, not shown yet', value: observed };
    return { state: 'good', text: 'shown', value: observed };
  };
  try {
    await context.follow({ name: names.join(', '), resume: undefined, check });
    return observed;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const { kind: code, message } = error;
    const records = observed.map((change) => (isAccepted(change) ? { ...change, error: { code, message } } : change));
    throw error.with({ partial: { value: records } });
  }
}

function isAccepted({ change }: Change): boolean {
  return change === 'accepted';
}

function throwAsPending(error: unknown): never {
  // The change may have succeeded although it could not be read, so the error is pending and not internal.
  throw error instanceof CliError ? error : new CliError('pending', whyText(error));
}
