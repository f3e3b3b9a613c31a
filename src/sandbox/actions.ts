import { notBegun } from '../resources/action.ts';
import { caller, stamp } from './seed/made-up.ts';
import type { HeldAction, HeldCluster, HeldStack, State, StoredAction } from './state.ts';
import type { Ending, Late, SandboxWorld } from './world.ts';

/** A record of shape A that has not begun; about the stack itself without a server. */
export function newShapeA(state: State, stack: HeldStack, action: string, server?: string): StoredAction {
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
  /** What shows that it has begun. */
  begin?(): void;
  end(): Ending;
  /** What it leaves behind when it fails; by default nothing. */
  fail?(): void;
}

/** Most do something at their end only. */
type Course = Steps | Steps['end'];

function stepsOf(course: Course): Steps {
  return typeof course === 'function' ? { end: course } : course;
}

/** The action, such as `stack-set: git.branch`, and its server. */
type ShapeA = { readonly action: string; readonly server?: string };

/** Queues an action record of shape A, which shows a start time at once, and returns it as the reply. */
export function pushShapeA(world: SandboxWorld, stack: HeldStack, { action, server }: ShapeA): StoredAction {
  const row = { ...newShapeA(world.state, stack, action, server), started_at: stamp(world.now) };
  stack.actions.push(heldAction(world, row, 'started'));
  return structuredClone(row);
}

/** The same, and what it does; in a step of that action it takes the step. */
export function queueShapeA(world: SandboxWorld, stack: HeldStack, about: ShapeA, course: Course): StoredAction {
  if (world.late) return takeStep(world.late, course);
  stepsOf(course).begin?.();
  return pushShapeA(world, stack, about);
}

/** The same with a record of shape B, which begins later. */
export function queueShapeB(
  world: SandboxWorld,
  owner: HeldStack | HeldCluster,
  about: Pick<StoredAction, 'action_type' | 'resource_type' | 'resource_id'>,
  course: Course,
): StoredAction {
  if (world.late) return takeStep(world.late, course);
  const at = stamp(world.now);
  const row: StoredAction = {
    id: world.state.next.action++,
    status: 'queued',
    ...about,
    ...notBegun,
    created_at: at,
    updated_at: at,
  };
  owner.actions.push(heldAction(world, row, 'queued'));
  return structuredClone(row);
}

type Phase = HeldAction['phase'];

function heldAction({ now, effect, failActions }: SandboxWorld, row: StoredAction, phase: Phase): HeldAction {
  return { row, phase, queuedMs: now.getTime(), effect, fails: failActions };
}

function takeStep(late: Late, course: Course): StoredAction {
  const steps = stepsOf(course);
  if (late.phase === 'end') late.ending = steps.end();
  else steps[late.phase]?.();
  return late.row;
}

export function startAction(action: HeldAction, atMs: number): void {
  moveOn(action, 'started', atMs, { started_at: stamp(atMs) });
}

export function finishAction(
  action: HeldAction,
  atMs: number,
  { success, message, ...ids }: Ending & { readonly success: boolean },
): void {
  const facts = { finished_at: stamp(atMs), finished_success: success, finished_message: message };
  moveOn(action, 'finished', atMs, { ...facts, ...ids });
}

function moveOn(action: HeldAction, phase: Phase, atMs: number, facts: Partial<StoredAction>): void {
  action.phase = phase;
  // Only shape B carries a status and its own timestamps.
  const ofShapeB = action.row.status !== undefined && { status: phase, updated_at: stamp(atMs) };
  Object.assign(action.row, facts, ofShapeB);
}
