import { refuse } from './refusal.ts';
import type { HeldAccount, HeldCluster, HeldGroup, HeldServer, HeldStack, HeldUser, State } from './state.ts';

/** Who sent the request. */
export interface Caller {
  readonly name: string;
  readonly scopes: readonly string[];
}

/** What a handler gets; it changes `state` in place. */
export interface SandboxWorld {
  readonly state: State;
  readonly now: Date;
  readonly caller: Caller;
  /** Base address of backup files, such as `http://127.0.0.1:8300/storage`. */
  readonly storage: string;
  /** Whether undeclared parameters are refused. */
  readonly strict: boolean;
}

/** The stack of a UID; throws 404. */
export function stackOf({ state }: SandboxWorld, uid: string): HeldStack {
  return state.stacks.find(({ row }) => row.uid === uid) ?? refuse(404, `stack "${uid}" not found`);
}

/** A server of a stack; throws 404 for either. */
export function serverOf(
  world: SandboxWorld,
  place: { readonly stack_id: string; readonly server_id: string },
): HeldServer {
  const { servers } = stackOf(world, place.stack_id);
  return servers.find(({ row }) => row.uid === place.server_id) ?? refuse(404, `server "${place.server_id}" not found`);
}

/** The cluster of a UID; throws 404. */
export function clusterOf({ state }: SandboxWorld, uid: string): HeldCluster {
  return state.clusters.find(({ row }) => row.uid === uid) ?? refuse(404, `cluster "${uid}" not found`);
}

/** The user of an id; throws 404. */
export function userOf({ state }: SandboxWorld, id: number): HeldUser {
  return state.users.find(({ row }) => row.id === id) ?? refuse(404, `user ${id} not found`);
}

/** An account that the caller may use; throws 404, 403 for one of others, 400 for a restricted one. */
export function accountOf({ state }: SandboxWorld, id: number): HeldAccount {
  const found = state.accounts.find(({ row }) => row.id === id) ?? refuse(404, `account ${id} not found`);
  if (found.access === 'foreign') refuse(403, `you have no access to account ${id}`);
  if (found.access === 'restricted') refuse(400, `account ${id} is restricted`);
  return found;
}

/** A server group that serves databases; throws 404, or 400 when it does not. */
export function databaseGroupOf(world: SandboxWorld, place: WorldPlace): HeldGroup {
  const stack = stackOf(world, place.stack_id);
  const id = place.server_group_id;
  const group = stack.groups.find(({ row }) => String(row.id) === id) ?? refuse(404, `server group "${id}" not found`);
  if (!group.holdsDatabases)
    refuse(400, `server group "${id}" (${group.row.name}) does not support database operations`);
  return group;
}

export interface WorldPlace {
  readonly stack_id: string;
  readonly server_group_id: string;
}
