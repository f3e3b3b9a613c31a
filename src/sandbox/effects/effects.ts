import type { DatabaseEffect, Effect, HeldCluster, HeldStack, OperationEffect, StackEffect, State } from '../state.ts';
import { applyDatabaseEffect } from './database-effects.ts';
import { done, type Ending, failed } from './ending.ts';
import { applyStackEffect } from './stack-effects.ts';

/** The resource of an action. */
export type ActionOwner = HeldStack | HeldCluster;

interface DueEffect {
  readonly effect: Exclude<Effect, OperationEffect>;
  readonly atMs: number;
}

/** The effect visible as soon as an action has started. */
export function beginEffect(holder: ActionOwner, effect: Effect): void {
  if (effect.kind === 'stack_reboot' && isCluster(holder)) setNodes(holder, { health: 2, status: 'NotReady' });
  if (effect.kind === 'server_reboot') setServer(holder, effect.server, 0);
}

/** The end of a failed action: nothing changes, and a rebooting server stays down. */
export function failEffect(holder: ActionOwner, effect: Effect): Ending {
  if (effect.kind === 'stack_reboot' && isCluster(holder)) setNodes(holder, { health: 4, status: 'NotReady' });
  if (effect.kind === 'server_reboot') setServer(holder, effect.server, 4);
  return failed('Simulated failure.');
}

function setServer(holder: ActionOwner, uid: string, health: number): void {
  const server = isCluster(holder) ? undefined : holder.servers.find(({ row }) => row.uid === uid);
  if (server) server.row.health_state = health;
}

/** Applies a queued action. Two queued actions may conflict, so each checks again. */
export function applyEffect(state: State, holder: ActionOwner, { effect, atMs }: DueEffect): Ending {
  if (isCluster(holder)) return restart(holder);
  if (isDatabaseEffect(effect)) return applyDatabaseEffect(state, holder, { effect, endMs: atMs });
  if (isStackEffect(effect)) return applyStackEffect(state, holder, { effect, endMs: atMs });
  return failed('only clusters reboot all their servers');
}

function restart(cluster: HeldCluster): Ending {
  setNodes(cluster, { health: 3, status: 'Ready' });
  return done(`Servers of ${cluster.row.name} rebooted.`);
}

function setNodes(
  { row }: HeldCluster,
  { health, status }: { readonly health: number; readonly status: string },
): void {
  row.health = health;
  row.nodes = row.nodes.map((node) => ({ ...node, status }));
}

function isCluster(holder: ActionOwner): holder is HeldCluster {
  return !('servers' in holder);
}

function isDatabaseEffect(effect: DueEffect['effect']): effect is DatabaseEffect {
  return effect.kind.startsWith('database');
}

function isStackEffect(effect: DueEffect['effect']): effect is StackEffect {
  return !isDatabaseEffect(effect) && effect.kind !== 'stack_reboot';
}
