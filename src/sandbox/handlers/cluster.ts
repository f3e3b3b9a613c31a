import { queueTypedAction } from '../actions.ts';
import { type HandlersOf, refuse, type SandboxContext } from '../context.ts';
import type { ClusterState } from '../state.ts';

function clusterOf({ state }: SandboxContext, uid: string): ClusterState {
  return state.clusters.find(({ row }) => row.uid === uid) ?? refuse(404, `cluster "${uid}" not found`);
}

export const clusterHandlers: HandlersOf<'clusters'> = {
  list: ({ state }) => state.clusters.map(({ row: { region: _, nodes: __, ...summary } }) => summary),
  get: (context, { id, show_log }) => {
    const { row, log } = clusterOf(context, id);
    return show_log ? { ...row, log } : row;
  },
  create: () => refuse(501, 'Creating clusters is not available yet; it is announced for a later release.'),
  // service.md does not list the values of `strategy` and `group`, so they are ignored: all servers reboot.
  reboot: (context, { id }) => {
    const cluster = clusterOf(context, id);
    const typedAction = { action_type: 'stack_reboot', resource_type: 'stack', resource_id: id };
    return queueTypedAction(context, cluster, typedAction, {
      begin: () => setClusterHealth(cluster, 2, 'NotReady'),
      end: () => {
        setClusterHealth(cluster, 3, 'Ready');
        return { message: `Servers of ${cluster.row.name} rebooted.` };
      },
      fail: () => setClusterHealth(cluster, 4, 'NotReady'),
    });
  },
};

function setClusterHealth({ row }: ClusterState, health: number, nodeStatus: string): void {
  row.health = health;
  row.nodes = row.nodes.map((node) => ({ ...node, status: nodeStatus }));
}
