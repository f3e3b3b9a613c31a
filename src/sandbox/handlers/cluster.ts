import type { RecordOf } from '../../contract/record.ts';
import type { ClusterSummary } from '../../resources/cluster.ts';
import { queueShapeB } from '../effects/queue.ts';
import { refuse } from '../refusal.ts';
import type { StoredCluster } from '../state.ts';
import { clusterOf } from '../world.ts';
import type { HandlersOf } from './handler.ts';

export const clusterHandlers: HandlersOf<'clusters'> = {
  list: ({ state }) => state.clusters.map(({ row }) => summary(row)),
  get: (world, { id, show_log }) => {
    const { row, log } = clusterOf(world, id);
    const shown = show_log ? { ...row, log } : row;
    return shown;
  },
  create: () => refuse(501, 'Creating clusters is not available yet; it is announced for a later release.'),
  // service.md does not list the values of strategy and group: any are accepted, and all servers reboot.
  reboot: (world, { id }) => queueShapeB(world, clusterOf(world, id), { kind: 'stack_reboot' }),
};

function summary({ region: _, nodes: __, ...row }: StoredCluster): RecordOf<typeof ClusterSummary> {
  return row;
}
