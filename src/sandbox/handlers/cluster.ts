import { queueShapeB } from '../actions.ts';
import type { Effect, HeldCluster } from '../state.ts';
import { done, type HandlersOf, type Later, refuse, type SandboxWorld } from '../world.ts';

function clusterOf({ state }: SandboxWorld, uid: string): HeldCluster {
  return state.clusters.find(({ row }) => row.uid === uid) ?? refuse(404, `cluster "${uid}" not found`);
}

export const clusterHandlers: HandlersOf<'clusters'> = {
  list: ({ state }) => state.clusters.map(({ row: { region: _, nodes: __, ...summary } }) => summary),
  get: (world, { id, show_log }) => {
    const { row, log } = clusterOf(world, id);
    return show_log ? { ...row, log } : row;
  },
  create: () => refuse(501, 'Creating clusters is not available yet; it is announced for a later release.'),
  // service.md does not list the values of strategy and group: any are accepted, and all servers reboot.
  reboot: (world, { id }) => queueShapeB(world, clusterOf(world, id), { kind: 'stack_reboot' }),
};

export const clusterLater: { readonly stack_reboot: Later<Effect, HeldCluster> } = {
  stack_reboot: {
    begin: (cluster) => setNodes(cluster, 2, 'NotReady'),
    end: ({ owner }) => {
      setNodes(owner, 3, 'Ready');
      return done(`Servers of ${owner.row.name} rebooted.`);
    },
    fail: (cluster) => setNodes(cluster, 4, 'NotReady'),
  },
};

function setNodes({ row }: HeldCluster, health: number, status: string): void {
  row.health = health;
  row.nodes = row.nodes.map((node) => ({ ...node, status }));
}
