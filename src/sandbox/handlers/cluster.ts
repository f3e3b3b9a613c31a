import { queueShapeB } from '../actions.ts';
import type { HeldCluster } from '../state.ts';
import { type HandlersOf, refuse, type SandboxWorld } from '../world.ts';

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
  reboot: (world, { id }) => {
    const cluster = clusterOf(world, id);
    const about = { action_type: 'stack_reboot', resource_type: 'stack', resource_id: id };
    return queueShapeB(world, cluster, about, {
      begin: () => setNodes(cluster, 2, 'NotReady'),
      end: () => {
        setNodes(cluster, 3, 'Ready');
        return { message: `Servers of ${cluster.row.name} rebooted.` };
      },
      fail: () => setNodes(cluster, 4, 'NotReady'),
    });
  },
};

function setNodes({ row }: HeldCluster, health: number, status: string): void {
  row.health = health;
  row.nodes = row.nodes.map((node) => ({ ...node, status }));
}
