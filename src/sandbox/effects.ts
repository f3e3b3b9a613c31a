import { applyDatabaseEffect } from './database-effects.ts';
import { done, type Ending, failed } from './ending.ts';
import { applyStackEffect } from './stack-effects.ts';
import type { DatabaseEffect, Effect, HeldCluster, HeldStack, StackEffect, State } from './state.ts';

/** Whatever actions belong to. */
export type Holder = HeldStack | HeldCluster;

interface Deed {
  readonly effect: Effect;
  readonly atMs: number;
}

/** What can be seen as soon as an action has started. */
export function beginEffect(holder: Holder, effect: Effect): void {
  if (effect.kind === 'stack_reboot' && isCluster(holder)) setNodes(holder, { health: 2, status: 'NotReady' });
  if (effect.kind !== 'server_reboot' || isCluster(holder)) return;
  const server = holder.servers.find(({ row }) => row.uid === effect.server);
  if (server) server.row.health_state = 0;
}

/** Does what an action was queued for; two queued actions may contradict each other, so each looks again. */
export function applyEffect(state: State, holder: Holder, { effect, atMs }: Deed): Ending {
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

function isCluster(holder: Holder): holder is HeldCluster {
  return !('servers' in holder);
}

function isDatabaseEffect(effect: Effect): effect is DatabaseEffect {
  return effect.kind.startsWith('database');
}

function isStackEffect(effect: Effect): effect is StackEffect {
  return !isDatabaseEffect(effect) && effect.kind !== 'stack_reboot';
}
