import { notBegun } from '../resources/action.ts';
import type { Ending, Late, SandboxContext } from './context.ts';
import { caller, stamp } from './seed/made-up.ts';
import type { ActionRecord, ActionState, ClusterState, StackState, State } from './state.ts';

/** A record of shape A that has not begun. Without a server it is about the stack. */
export function newShapeA(state: State, stack: StackState, action: string, server?: string): ActionRecord {
  return {
    id: state.next.action++,
    user: caller,
    resource_type: server === undefined ? 'stack' : 'server',
    action,
    resource_id: server ?? stack.row.uid,
    ...notBegun,
  };
}

interface Steps {
  /** The visible effect of the start. */
  begin?(): void;
  end(): Ending;
  /** The effect of a failure; by default none. */
  fail?(): void;
}

/** Most actions have an effect at the end only. */
type Course = Steps | Steps['end'];

function stepsOf(course: Course): Steps {
  return typeof course === 'function' ? { end: course } : course;
}

/** The action, such as `stack-set: git.branch`, and its server. */
type ShapeA = { readonly action: string; readonly server?: string };

/** Queues an action of shape A, which has a start time at once, and returns its record as the reply. */
export function pushShapeA(context: SandboxContext, stack: StackState, { action, server }: ShapeA): ActionRecord {
  const row = { ...newShapeA(context.state, stack, action, server), started_at: stamp(context.now) };
  stack.actions.push(actionStateFrom(context, row, 'started'));
  return structuredClone(row);
}

/** As `pushShapeA`, with the effect of the action. Within a step of that action the step is taken instead. */
export function queueShapeA(context: SandboxContext, stack: StackState, about: ShapeA, course: Course): ActionRecord {
  if (context.late) return takeStep(context.late, course);
  stepsOf(course).begin?.();
  return pushShapeA(context, stack, about);
}

/** As `queueShapeA`, with a record of shape B, which begins later. */
export function queueShapeB(
  context: SandboxContext,
  owner: StackState | ClusterState,
  about: Pick<ActionRecord, 'action_type' | 'resource_type' | 'resource_id'>,
  course: Course,
): ActionRecord {
  if (context.late) return takeStep(context.late, course);
  const at = stamp(context.now);
  const row: ActionRecord = {
    id: context.state.next.action++,
    status: 'queued',
    ...about,
    ...notBegun,
    created_at: at,
    updated_at: at,
  };
  owner.actions.push(actionStateFrom(context, row, 'queued'));
  return structuredClone(row);
}

type Phase = ActionState['phase'];

function actionStateFrom({ now, effect, failActions }: SandboxContext, row: ActionRecord, phase: Phase): ActionState {
  return { row, phase, queuedMs: now.getTime(), effect, fails: failActions };
}

function takeStep(late: Late, course: Course): ActionRecord {
  const steps = stepsOf(course);
  if (late.phase === 'end') late.ending = steps.end();
  else steps[late.phase]?.();
  return late.row;
}

export function startAction(action: ActionState, atMs: number): void {
  moveOn(action, 'started', atMs, { started_at: stamp(atMs) });
}

export function finishAction(
  action: ActionState,
  atMs: number,
  { success, message, ...ids }: Ending & { readonly success: boolean },
): void {
  const facts = { finished_at: stamp(atMs), finished_success: success, finished_message: message };
  moveOn(action, 'finished', atMs, { ...facts, ...ids });
}

function moveOn(action: ActionState, phase: Phase, atMs: number, facts: Partial<ActionRecord>): void {
  action.phase = phase;
  // Only shape B carries a status and its own timestamps.
  const ofShapeB = action.row.status !== undefined && { status: phase, updated_at: stamp(atMs) };
  Object.assign(action.row, facts, ofShapeB);
}
