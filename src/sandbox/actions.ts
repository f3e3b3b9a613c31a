import { stamp } from './seed/made-up.ts';
import type {
  DatabaseEffect,
  Effect,
  HeldAction,
  HeldStack,
  OperationEffect,
  StackEffect,
  StoredAction,
} from './state.ts';
import type { ActionOwner, Ending, SandboxWorld } from './world.ts';

interface ShapeA {
  readonly effect: StackEffect | OperationEffect;
  /** `stack-set: git.branch`, `server_reboot` */
  readonly action: string;
  /** UID of the server that it is about; absent for the stack itself. */
  readonly server?: string;
}

/** A record of shape A that has not begun. */
export function newShapeA(
  { state, caller }: SandboxWorld,
  stack: HeldStack,
  { action, server }: Omit<ShapeA, 'effect'>,
): StoredAction & { readonly id: number } {
  return {
    id: state.next.action++,
    user: caller.name,
    resource_type: server === undefined ? 'stack' : 'server',
    action,
    resource_id: server ?? stack.row.uid,
    started_via: 'api',
    started_at: null,
    finished_at: null,
    finished_success: null,
    finished_message: null,
  };
}

/** Queues an action record of shape A, which shows a start time at once, and returns it as the reply. */
export function queueShapeA(world: SandboxWorld, stack: HeldStack, { effect, ...about }: ShapeA): StoredAction {
  const row = { ...newShapeA(world, stack, about), started_at: stamp(world.now) };
  stack.actions.push({ row, phase: 'started', queuedMs: world.now.getTime(), effect });
  return structuredClone(row);
}

type ShapeBEffect = DatabaseEffect | Extract<Effect, { readonly kind: 'stack_reboot' }>;

/** Queues an action record of shape B and returns it as the reply. */
export function queueShapeB({ state, now }: SandboxWorld, owner: ActionOwner, effect: ShapeBEffect): StoredAction {
  const at = stamp(now);
  const row: StoredAction = {
    id: state.next.action++,
    status: 'queued',
    action_type: effect.kind,
    ...subjectOf(owner, effect),
    started_via: 'api',
    started_at: null,
    finished_at: null,
    finished_success: null,
    finished_message: null,
    created_at: at,
    updated_at: at,
  };
  owner.actions.push({ row, phase: 'queued', queuedMs: now.getTime(), effect });
  return structuredClone(row);
}

function subjectOf({ row }: ActionOwner, effect: ShapeBEffect): Pick<StoredAction, 'resource_type' | 'resource_id'> {
  if (effect.kind === 'stack_reboot') return { resource_type: 'stack', resource_id: row.uid };
  const resource_type = effect.kind.startsWith('database_user') ? 'database_user' : 'database';
  return { resource_type, resource_id: 'uid' in effect ? effect.uid : null };
}

export function startAction(action: HeldAction, atMs: number): void {
  action.phase = 'started';
  Object.assign(action.row, { started_at: stamp(atMs) }, shapeB(action, 'started', atMs));
}

export function finishAction(action: HeldAction, atMs: number, { success, message, resourceId }: Ending): void {
  action.phase = 'finished';
  Object.assign(
    action.row,
    { finished_at: stamp(atMs), finished_success: success, finished_message: message },
    resourceId !== undefined && { resource_id: resourceId },
    shapeB(action, 'finished', atMs),
  );
}

/** Only shape B carries a status and its own timestamps. */
function shapeB({ row }: HeldAction, status: string, atMs: number): object {
  return row.status === undefined ? {} : { status, updated_at: stamp(atMs) };
}
