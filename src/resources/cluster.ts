import { flag, group, instant, integer, many, optional, text } from '../contract/field.ts';
import { operation } from '../contract/operation.ts';
import { uidPattern } from '../contract/params.ts';
import { record } from '../contract/record.ts';
import { one, opaqueReply, page } from '../contract/reply.ts';
import { resource } from '../contract/resource.ts';
import { queuedActionReply } from './action.ts';
import { healthStates, healthText, stackStatuses } from './stack.ts';

const summaryFields = {
  uid: text('UID of the cluster.'),
  name: text('Name.'),
  environment: text('Environment.'),
  cloud: text('Cloud provider.'),
  status: integer('Deployment status.', { meanings: stackStatuses }),
  health: integer('Health.', { meanings: healthStates }),
  kubernetes_version: text('Kubernetes version.', { heading: 'Kubernetes' }),
  node_count: integer('Number of nodes.', { heading: 'nodes' }),
  id: integer('ID of the cluster.'),
  created_at: instant('Creation time.', { aliases: ['created_at_iso'] }),
  updated_at: instant('Time of the last change.', { aliases: ['updated_at_iso'] }),
  created_at_iso: instant('Creation time.'),
  updated_at_iso: instant('Time of the last change.'),
};
const ClusterSummary = record('cluster', summaryFields, [
  'name',
  'environment',
  'status',
  'health',
  'node_count',
  'cloud',
  'kubernetes_version',
  'uid',
]);
export const Cluster = record(
  'cluster',
  {
    ...summaryFields,
    region: text('Region.'),
    nodes: many(
      group(
        {
          name: text('Name.'),
          status: text('Node status.'),
          instance_type: text('Instance type.'),
          capacity: group(
            { cpu: text('Processors.'), memory: text('Memory.'), pods: text('Pods.') },
            'Capacity of the node.',
          ),
        },
        'One node.',
      ),
      'Nodes of the cluster.',
    ),
    log: optional(text('Logs, on request.', { aliases: ['logs', 'show_log'] })),
  },
  ['name', 'status', 'health', 'node_count', 'uid'],
);

const clusterIdParam = text('UID of the cluster.', { label: 'cluster' });
const notFoundHints = { listCommand: 'cluster list', missing: 'cluster {id}' };

export const clusters = {
  list: operation('GET /clusters', { reply: page(ClusterSummary) }),
  get: operation('GET /clusters/:id', {
    params: { id: clusterIdParam, show_log: optional(flag('Include the logs.')) },
    reply: one(Cluster),
    undocumented: 'Status and health use the codes of stacks. `show_log` is sent as true, and logs come in `log`.',
    ...notFoundHints,
  }),
  create: operation('POST /clusters', {
    scope: 'redeploy',
    about: 'Create a cluster (announced by the service for later).',
    // The reply is not documented, so an action, a cluster and a plain `ok` all count as success.
    reply: { ...opaqueReply, proof: ['uid', 'id', 'ok'] },
    check: notFoundHints.listCommand,
    undocumented: 'The request body; set its fields with --field.',
  }),
  reboot: operation('POST /clusters/:id/reboot_servers', {
    scope: 'admin',
    about: 'Reboot the servers of a cluster.',
    params: {
      id: clusterIdParam,
      strategy: optional(
        text('Reboot servers in parallel or one after the other.', { choices: ['serial', 'parallel'], open: true }),
      ),
      group: optional(
        text('Only this group of servers.', {
          choices: ['all', 'web', 'haproxy', 'db', 'mysql', 'redis', 'postgres', 'mongodb'],
          open: true,
        }),
      ),
    },
    reply: queuedActionReply,
    check: 'action list -s {id}',
    undocumented: 'The values of `strategy` and `group`; neither is sent unless given.',
    ...notFoundHints,
  }),
};

export const cluster = resource({
  list: clusters.list,
  idPattern: uidPattern,
  get: clusters.get,
  summary: ({ environment, node_count, health }) => [
    environment,
    node_count === 1 ? '1 node' : `${node_count ?? 'unknown'} nodes`,
    healthText(health),
  ],
});
