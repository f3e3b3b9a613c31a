import type { Context } from '../../contract/command.ts';
import type { Change, ObservedChange, Outcome, Plan, Step } from '../../contract/plan.ts';
import { Problem } from '../../problems/problem.ts';
import { type Action, actionOf, isDone } from '../../resources/action.ts';
import { changeEach } from './change-each.ts';
import { withFollowUp } from './follow-up.ts';
import { inSentences } from './partial-message.ts';

/**
 * Sends what a plan is to send, at most four changes at once, and says what was done. A Problem carries the outcome of
 * the changes that were made or begun before it.
 */
export async function perform(context: Context, plan: Plan): Promise<Outcome> {
  const changes = await performSteps(context, plan);
  const outcome = outcomeOf(plan, changes);
  if (!plan.followUp) return outcome;
  return withFollowUp(outcome, async () => {
    const next = await plan.followUp?.(changes);
    return next ? perform(context, next) : { data: [], lines: [] };
  });
}

async function performSteps(context: Context, plan: Plan): Promise<readonly Change[]> {
  try {
    const changes = await changeEach<Step, Change>(context, plan.steps, {
      nameOf: ({ name }) => name,
      act: changeOf,
      outcomeOf: ({ change }) => (change === 'unchanged' ? undefined : doneWords(change)),
      undone: (step, error, seen) => ({
        ...recordOf(step, { change: stateOf(error), ...(seen !== undefined && step.unfinished?.(seen)) }),
        action: actionOf(seen) ?? null,
        error,
      }),
    });
    const finished = context.dryRun ? changes : ((await plan.finish?.(changes)) ?? changes);
    refuseOverwrites(finished);
    return finished;
  } catch (error) {
    const partial = error instanceof Problem ? error.details.partial : undefined;
    if (!partial || !(error instanceof Problem)) throw error;
    throw error.with({ partial: { value: outcomeOf(plan, partial.value as readonly Change[]) } });
  }
}

/** `created`, as it follows `was`. */
function doneWords(change: Change['change']): string {
  return change === 'password_changed' ? 'given a new password' : change.replace('_', ' ');
}

/** Throws rejected where a change was made, and replaced what somebody else had changed in between. */
function refuseOverwrites(changes: readonly Change[]): void {
  const overwrites = changes.flatMap(({ error }) => error ?? []);
  if (overwrites.length === 0) return;
  throw new Problem('rejected', inSentences(overwrites.map(({ message }) => message)), { partial: { value: changes } });
}

function outcomeOf({ isList, summarize }: Plan, changes: readonly Change[]): Outcome {
  return { data: isList ? changes : changes[0], ...summarize(changes) };
}

async function changeOf(step: Step): Promise<Change> {
  if (step.isIdle) return recordOf(step, { change: 'unchanged', after: step.before });
  const reply: unknown = await step.send();
  const action = actionOf(reply) ?? null;
  if (action && !isDone(action))
    return { ...recordOf(step, { change: 'queued', ...step.unfinished?.(reply) }), action };
  const seen = await step.done?.(reply);
  return { ...recordOf(step, { change: step.change, message: messageIn(reply, action), ...seen }), action };
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

/** The state of a change that failed; one whose end was not seen is still queued. */
function stateOf(error: Change['error']): Change['change'] {
  if (!error) return 'not_tried';
  if (error.code === 'pending') return 'queued';
  return error.code === 'outcome_unknown' ? 'unknown' : 'failed';
}
