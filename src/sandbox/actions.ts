import { notBegunFields } from '../resources/action.ts';
import type { ActionOutcome, ActionResult, ActionStep, SandboxContext } from './context.ts';
import { callerEmail, stamp } from './seed/made-up.ts';
import type { ActionRecord, ActionState, ClusterState, StackState, State } from './state.ts';

/** Returns the record of a new action of shape A (see `StackAction`) for the server, or else for the stack. */
export function newNamedActionRecord(state: State, stack: StackState, action: string, server?: string): ActionRecord {
  return {
    id: state.next.action++,
    user: callerEmail,
    resource_type: server === undefined ? 'stack' : 'server',
    action,
    resource_id: server ?? stack.row.uid,
    ...notBegunFields,
  };
}

interface ActionSteps {
  /** Makes the changes that are visible while the action runs. */
  begin?(): void;
  end(): ActionResult;
  /** Makes the changes of a failed action. If undefined, a failure changes nothing. */
  fail?(): void;
}

/** The steps of an action, or only its `end`, because most actions change nothing before they end. */
type Steps = ActionSteps | ActionSteps['end'];

function toActionSteps(steps: Steps): ActionSteps {
  return typeof steps === 'function' ? { end: steps } : steps;
}

/** The name of an action of shape A, such as `stack-set: git.branch`, and the UID of its server, if any. */
type Subject = { readonly action: string; readonly server?: string };

/** Adds an action of shape A that has started to the stack, and returns a copy of its record. */
export function addShapeA(context: SandboxContext, stack: StackState, { action, server }: Subject): ActionRecord {
  const row = { ...newNamedActionRecord(context.state, stack, action, server), started_at: stamp(context.now) };
  stack.actions.push(newActionState(context, row, 'started'));
  return structuredClone(row);
}

/** Begins an action of shape A and returns its record. If `context.step` is set, only runs that step of `steps`. */
export function queueShapeA(context: SandboxContext, stack: StackState, subject: Subject, steps: Steps): ActionRecord {
  if (context.step) return runActionStep(context.step, steps);
  toActionSteps(steps).begin?.();
  return addShapeA(context, stack, subject);
}

/** Queues an action of shape B (see `StackAction`); returns its record. With `context.step`, only runs that step. */
export function queueTypedAction(
  context: SandboxContext,
  owner: StackState | ClusterState,
  subject: Pick<ActionRecord, 'action_type' | 'resource_type' | 'resource_id'>,
  steps: Steps,
): ActionRecord {
  if (context.step) return runActionStep(context.step, steps);
  const at = stamp(context.now);
  const row: ActionRecord = {
    id: context.state.next.action++,
    status: 'queued',
    ...subject,
    ...notBegunFields,
    created_at: at,
    updated_at: at,
  };
  owner.actions.push(newActionState(context, row, 'queued'));
  return structuredClone(row);
}

type Phase = ActionState['phase'];

function newActionState({ now, effect, failActions }: SandboxContext, row: ActionRecord, phase: Phase): ActionState {
  return { row, phase, queuedMs: now.getTime(), effect, fails: failActions };
}

function runActionStep(step: ActionStep, steps: Steps): ActionRecord {
  const allSteps = toActionSteps(steps);
  if (step.phase === 'end') step.result = allSteps.end();
  else allSteps[step.phase]?.();
  return step.row;
}

export function startAction(action: ActionState, atMs: number): void {
  setPhase(action, 'started', atMs, { started_at: stamp(atMs) });
}

export function finishAction(action: ActionState, atMs: number, { success, message, ...ids }: ActionOutcome): void {
  const finishFields = { finished_at: stamp(atMs), finished_success: success, finished_message: message };
  setPhase(action, 'finished', atMs, { ...finishFields, ...ids });
}

function setPhase(action: ActionState, phase: Phase, atMs: number, changedFields: Partial<ActionRecord>): void {
  action.phase = phase;
  // Only a record of shape B has `status` and `updated_at`.
  const typedActionFields = action.row.status !== undefined && { status: phase, updated_at: stamp(atMs) };
  Object.assign(action.row, changedFields, typedActionFields);
}
