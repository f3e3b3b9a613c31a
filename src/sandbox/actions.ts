import { notBegunFields } from '../resources/action.ts';
import type { ActionResult, ActionStep, SandboxContext } from './context.ts';
import { callerEmail, stamp } from './seed/made-up.ts';
import type { ActionRecord, ActionState, ClusterState, StackState, State } from './state.ts';

/** Returns a new action record of shape A (see `StackAction`), not yet begun, about the server or else the stack. */
export function newShapeARecord(state: State, stack: StackState, action: string, server?: string): ActionRecord {
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

/** The steps of an action, or only its `end`, because most actions change nothing before. */
type StepsOrEnd = ActionSteps | ActionSteps['end'];

function stepsOf(steps: StepsOrEnd): ActionSteps {
  return typeof steps === 'function' ? { end: steps } : steps;
}

/** The fields that a record of shape A begins with: an action, such as `stack-set: git.branch`, and a server's UID. */
type ShapeAFacts = { readonly action: string; readonly server?: string };

/** Adds an action of shape A to the stack, started at once, and returns its record. */
export function addShapeAAction(
  context: SandboxContext,
  stack: StackState,
  { action, server }: ShapeAFacts,
): ActionRecord {
  const row = { ...newShapeARecord(context.state, stack, action, server), started_at: stamp(context.now) };
  stack.actions.push(newActionState(context, row, 'started'));
  return structuredClone(row);
}

/** Begins an action of shape A and returns its record. Within a step of that action, only takes the step. */
export function queueShapeAAction(
  context: SandboxContext,
  stack: StackState,
  about: ShapeAFacts,
  steps: StepsOrEnd,
): ActionRecord {
  if (context.step) return takeStep(context.step, steps);
  stepsOf(steps).begin?.();
  return addShapeAAction(context, stack, about);
}

/** Queues an action of shape B, which begins later, and returns its record. Within a step, only takes the step. */
export function queueShapeBAction(
  context: SandboxContext,
  owner: StackState | ClusterState,
  about: Pick<ActionRecord, 'action_type' | 'resource_type' | 'resource_id'>,
  steps: StepsOrEnd,
): ActionRecord {
  if (context.step) return takeStep(context.step, steps);
  const at = stamp(context.now);
  const row: ActionRecord = {
    id: context.state.next.action++,
    status: 'queued',
    ...about,
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

function takeStep(step: ActionStep, steps: StepsOrEnd): ActionRecord {
  const all = stepsOf(steps);
  if (step.phase === 'end') step.result = all.end();
  else all[step.phase]?.();
  return step.row;
}

export function startAction(action: ActionState, atMs: number): void {
  setPhase(action, 'started', atMs, { started_at: stamp(atMs) });
}

export function finishAction(
  action: ActionState,
  atMs: number,
  { success, message, ...ids }: ActionResult & { readonly success: boolean },
): void {
  const facts = { finished_at: stamp(atMs), finished_success: success, finished_message: message };
  setPhase(action, 'finished', atMs, { ...facts, ...ids });
}

function setPhase(action: ActionState, phase: Phase, atMs: number, facts: Partial<ActionRecord>): void {
  action.phase = phase;
  // Only a record of shape B has `status` and `updated_at`.
  const shapeBFacts = action.row.status !== undefined && { status: phase, updated_at: stamp(atMs) };
  Object.assign(action.row, facts, shapeBFacts);
}
