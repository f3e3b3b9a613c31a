import type { Context } from '../../contract/command.ts';
import type { Status } from '../../contract/observe.ts';
import type { Change, ObservedChange, Outcome, Plan, Step, Summary } from '../../contract/plan.ts';
import { CliError, type ErrorKind } from '../../errors/cli-error.ts';
import { tryOrWarn, whyText } from '../../errors/try-or-warn.ts';
import { type Action, actionOf, isDone } from '../../resources/action.ts';
import { changeEach, inSentences } from './change-each.ts';

/**
 * Sends what a plan is to send, at most four changes at once, and says what was done. A Problem carries the outcome of
 * the changes that were made or begun before it. What fails once something was sent, and is no part of it, is a warning.
 */
export async function execute(context: Context, plan: Plan): Promise<Outcome> {
  const changes = await performSteps(context, plan);
  const outcome = await outcomeOf(context, plan, changes);
  if (!plan.followUp) return outcome;
  const follow = async (): Promise<Outcome> => {
    const next = await plan.followUp?.(changes);
    return next ? execute(context, next) : { data: [], lines: [] };
  };
  return context.dryRun ? joined(outcome, await follow()) : withFollowUp(outcome, follow, plan.unfollowed);
}

async function performSteps(context: Context, plan: Plan): Promise<readonly Change[]> {
  const { finish = async (changes) => changes, steps, waits = context.wait } = plan;
  const replies = new Map<Step, unknown>();
  const finished = async (changes: readonly Change[]): Promise<readonly Change[]> => {
    const what = 'the change was made, but the new state could not be read';
    const repliesOf = () => steps.map((step) => replies.get(step));
    return (await tryOrWarn(context.warn, what, () => finish(changes, repliesOf()))) ?? changes;
  };
  try {
    const sending = sendSteps(context, plan, replies);
    const changes = await sending.catch(async (error) => Promise.reject(await withPartial(error, finished)));
    if (context.dryRun) return changes;
    const seen = await finished(changes);
    const shown = waits ? await untilShown(context, steps, seen, () => finish(changes, [])) : seen;
    refuseOverwrites(shown);
    return shown;
  } catch (error) {
    throw await withPartial(error, (changes) => outcomeOf(context, plan, changes));
  }
}

function sendSteps(context: Context, { steps, atOnce }: Plan, replies: Map<Step, unknown>): Promise<readonly Change[]> {
  return changeEach<Step, Change>(context, steps, {
    ...(atOnce && { atOnce }),
    nameOf: ({ name }) => name,
    act: async (step) => {
      if (step.isIdle) return recordOf(step, { change: 'unchanged', after: step.before });
      const reply: unknown = await step.send();
      replies.set(step, reply);
      return changeOf(context, step, reply);
    },
    outcomeOf: ({ change }) => (change === 'unchanged' ? undefined : doneWords(change)),
    undone: async (step, error, seen) => {
      const read = () => (seen === undefined ? {} : step.unfinished?.(seen));
      const known = await tryOrWarn(context.warn, 'what was seen of the change could not be read', read);
      return { ...recordOf(step, { change: changeState(error), ...known }), action: actionOf(seen) ?? null, error };
    },
  });
}

/** The outcome of a plan of which nothing was sent, or nothing is known. */
export async function unperformed(context: Context, plan: Plan, error: Change['error']): Promise<Outcome> {
  const changes = plan.steps.map((step) => ({ ...recordOf(step, { change: changeState(error) }), error }));
  return outcomeOf(context, plan, changes);
}

async function withPartial(error: unknown, formed: (changes: readonly Change[]) => Promise<unknown>): Promise<unknown> {
  if (!(error instanceof CliError) || !error.details.partial) return error;
  return error.with({ partial: { value: await formed(error.details.partial.value as readonly Change[]) } });
}

function doneWords(change: Change['change']): string {
  return change === 'password_changed' ? 'given a new password' : change.replace('_', ' ');
}

function refuseOverwrites(changes: readonly Change[]): void {
  const overwrites = changes.flatMap(({ error }) => error ?? []);
  if (overwrites.length === 0) return;
  throw new CliError('rejected', inSentences(overwrites.map(({ message }) => message)), {
    partial: { value: changes },
  });
}

async function outcomeOf(
  context: Context,
  { isList, steps, summarize }: Plan,
  changes: readonly Change[],
): Promise<Outcome> {
  const summary = await tryOrWarn(context.warn, 'the result could not be described', () => summarize(changes));
  const named = steps.map(({ name }, at) => `${name}: ${changes[at]?.change}`);
  const { lines, unchanged = 0, closing = [], ...said }: Summary = summary ?? { lines: named };
  const counted = unchanged > 0 ? [`${unchanged} unchanged`] : [];
  return { data: isList ? changes : changes[0], ...said, lines: [...lines, ...counted, ...closing] };
}

async function changeOf(context: Context, step: Step, reply: unknown): Promise<Change> {
  if (context.dryRun) return recordOf(step, { change: step.change });
  const action = actionOf(reply) ?? null;
  const isQueued = action !== null && !isDone(action);
  const read = () => (isQueued ? step.unfinished?.(reply) : step.done?.(reply));
  const seen = await tryOrWarn(context.warn, 'the change was made, but its reply could not be read', read);
  const known: ObservedChange = isQueued ? { change: 'queued' } : { message: messageIn(reply, action) };
  return { ...recordOf(step, { change: step.change, ...known, ...seen }), action };
}

function recordOf(step: Step, { id, change, ...seen }: ObservedChange & Pick<Change, 'change'>): Change {
  const { before, after } = step;
  return { ...step.id, ...id, change, before, after, action: null, message: null, error: null, ...seen };
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

/** Their exit codes tell the outcome of the last change; those of the others promise that nothing was changed. */
const ownExitCode: readonly ErrorKind[] = ['operation_failed', 'pending', 'outcome_unknown', 'interrupted'];

async function withFollowUp(
  first: Outcome,
  follow: () => Promise<Outcome>,
  unfollowed: Plan['unfollowed'],
): Promise<Outcome> {
  try {
    return joined(first, await follow());
  } catch (failure) {
    const error = failure instanceof CliError ? failure : new CliError('unavailable', whyText(failure));
    const { kind, fault, details } = error;
    const second = details.partial?.value as Outcome | undefined;
    const { text = 'The changes before it were made', hint } = unfollowed?.(error) ?? {};
    throw new CliError(kind, inSentences([fault, text]), {
      ...details,
      ...(hint && { hint }),
      ...(!ownExitCode.includes(kind) && { exitCode: 1 }),
      partial: { value: second ? joined(first, second) : first },
    });
  }
}

function joined(first: Outcome, second: Outcome): Outcome {
  return { ...first, data: [first.data, second.data].flat(), lines: [...first.lines, ...second.lines] };
}

/** Throws pending with the records as last seen where the service does not show all changes in time. */
async function untilShown(
  context: Context,
  steps: readonly Step[],
  first: readonly Change[],
  read: () => Promise<readonly Change[]>,
): Promise<readonly Change[]> {
  const names = steps.filter((_, at) => first[at]?.change === 'accepted').map(({ name }) => name);
  if (names.length === 0) return first;
  let unread: readonly Change[] | undefined = first;
  let seen = first;
  const check = async (): Promise<Status> => {
    seen = unread ?? (await read().catch(asPending));
    unread = undefined;
    if (seen.some(isAccepted)) return { state: 'running', text: 'accepted, not shown yet', value: seen };
    return { state: 'good', text: 'shown', value: seen };
  };
  try {
    await context.follow({ name: names.join(', '), resume: undefined, check });
    return seen;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const { kind: code, message } = error;
    const records = seen.map((change) => (isAccepted(change) ? { ...change, error: { code, message } } : change));
    throw error.with({ partial: { value: records } });
  }
}

function isAccepted({ change }: Change): boolean {
  return change === 'accepted';
}

function asPending(error: unknown): never {
  // What cannot be read is not known to have failed.
  throw error instanceof CliError ? error : new CliError('pending', whyText(error));
}
