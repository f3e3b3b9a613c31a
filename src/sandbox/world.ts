import { stamp } from './made-up.ts';
import { refuse } from './refusal.ts';
import type { ActionRow, Effect, HeldAction, HeldGroup, HeldStack, State } from './state.ts';

/** Who sent the request. */
export interface Caller {
  readonly name: string;
  readonly scopes: readonly string[];
}

/** What a handler works on; it changes `state` in place. */
export interface World {
  readonly state: State;
  readonly now: Date;
  readonly caller: Caller;
}

/** The stack of a UID; throws 404. */
export function stackOf({ state }: World, uid: string): HeldStack {
  return state.stacks.find(({ row }) => row.uid === uid) ?? refuse(404, `there is no stack "${uid}"`);
}

/** A server group that serves databases; throws 404, or 400 when it does not. */
export function databaseGroupOf(world: World, place: Place): HeldGroup {
  const stack = stackOf(world, place.stack_id);
  const id = place.server_group_id;
  const group =
    stack.groups.find(({ row }) => String(row.id) === id) ?? refuse(404, `there is no server group "${id}"`);
  if (!group.holdsDatabases)
    refuse(400, `server group "${id}" (${group.row.name}) does not support database operations`);
  return group;
}

export interface Place {
  readonly stack_id: string;
  readonly server_group_id: string;
}

/** Puts an action record of shape B in line and returns it as the reply. */
export function queueEffect(world: World, stack: HeldStack, effect: Effect): ActionRow {
  const at = stamp(world.now);
  const row: ActionRow = {
    id: world.state.next.action++,
    status: 'queued',
    action_type: effect.kind,
    resource_type: effect.kind.startsWith('database_user') ? 'database_user' : 'database',
    resource_id: 'uid' in effect ? effect.uid : null,
    started_via: 'api',
    started_at: null,
    finished_at: null,
    finished_success: null,
    finished_message: null,
    created_at: at,
    updated_at: at,
  };
  const action: HeldAction = { row, phase: 'queued', queuedMs: world.now.getTime(), effect };
  stack.actions.push(action);
  return structuredClone(row);
}
