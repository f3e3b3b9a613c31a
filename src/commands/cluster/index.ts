import type { Context, Menu, Presentation, Target } from '../../contract/command.ts';
import { many, optional, text } from '../../contract/field.ts';
import type { RecordOf } from '../../contract/record.ts';
import { call } from '../../kinds/call.ts';
import { findNamed } from '../../kinds/find-named.ts';
import { get } from '../../kinds/get.ts';
import { script } from '../../kinds/script.ts';
import { actionOf, actionWords, queuedAs } from '../../resources/action.ts';
import { Cluster, cluster, clusters } from '../../resources/cluster.ts';
import { healthStates } from '../../resources/stack.ts';
import { readBodyFields } from '../body-field.ts';

const theCluster = text('UID or exact name of the cluster.', { label: 'cluster', names: 'cluster' });

const create = script({
  about: clusters.create.about,
  params: {
    field: optional(
      many(text('Name and value.', { label: 'name=value', assigns: [] }), 'A field of the request body.', {
        whole: true,
      }),
    ),
  },
  examples: ['stackops cluster create --field name=prod-us --field cloud=hetzner'],
  calls: [clusters.create],
  reply: clusters.create.reply,
  run: (context, { field }) => context.call(clusters.create, readBodyFields(field ?? [], [])),
  present: (answer) => {
    const action = actionOf(answer);
    if (action) return { kind: 'done', lines: [`Creation of the cluster: ${actionWords(action)}`] };
    return { kind: 'document', head: [], value: answer };
  },
});

const reboot = script({
  about: clusters.reboot.about,
  params: {
    cluster: theCluster,
    strategy: clusters.reboot.params.strategy,
    group: clusters.reboot.params.group,
  },
  positionals: ['cluster'],
  examples: ['stackops cluster reboot prod-eu', 'stackops cluster reboot prod-eu --strategy serial --confirm prod-eu'],
  calls: [clusters.list, clusters.get, clusters.reboot],
  reply: clusters.reboot.reply,
  confirm: { level: 'typed', act: 'Reboot the servers of cluster', target: describe },
  run: async (context, { cluster, ...more }) =>
    context.call(clusters.reboot, { id: await findUid(context, cluster), ...more }),
  present: (action, { cluster }) => queuedAs(`cluster ${cluster}`)(action),
});

export const clusterCommands: Menu = {
  'cluster list': call(clusters.list, { examples: ['stackops cluster list'] }),
  'cluster get': get(cluster, clusters.get, {
    examples: ['stackops cluster get prod-eu', 'stackops cluster get prod-eu --show-log --json --fields log'],
    present: presentCluster,
  }),
  'cluster create': create,
  'cluster reboot': reboot,
};

/** A 32-digit hex UID is used as it is; anything else costs one read. */
async function findUid(context: Context, word: string): Promise<string> {
  if (/^[0-9a-f]{32}$/i.test(word)) return word;
  const { uid } = findNamed(await context.call(clusters.list, {}), word, {
    kind: 'cluster',
    idOf: (cluster) => cluster.uid,
    nameOf: ({ name }) => name,
    lister: { path: 'cluster list' },
  });
  return uid;
}

async function describe(context: Context, { cluster }: { readonly cluster: string }): Promise<Target> {
  const { name, environment, node_count, health } = await context.call(clusters.get, {
    id: await findUid(context, cluster),
  });
  const nodes = node_count === 1 ? '1 node' : `${node_count} nodes`;
  return { name, facts: [environment, nodes, healthStates[health] ?? `health ${health}`] };
}

/** A line for every node and for every line of the log, and each moment once. */
function presentCluster(cluster: RecordOf<typeof Cluster>): Presentation {
  const { nodes: _, log: __, created_at_iso: ___, updated_at_iso: ____, ...plain } = Cluster.fields;
  const nodes = (cluster.nodes ?? []).map(({ name, status, instance_type, capacity }) => {
    const room = Object.entries(capacity ?? {}).map(([what, amount]) => `${what} ${amount}`);
    return [`node ${name}`, [status, instance_type, ...room].filter(Boolean).join(', ')] as const;
  });
  const logs = logOf(cluster).map((line, index) => [`log ${index + 1}`, line] as const);
  const lines = Object.fromEntries([...nodes, ...logs]);
  const fields = { ...plain, ...Object.fromEntries(Object.keys(lines).map((name) => [name, text('A line.')])) };
  return { kind: 'detail', record: { ...Cluster, fields }, row: { ...cluster, ...lines } };
}

/** Its lines. */
function logOf(cluster: Readonly<Record<string, unknown>>): readonly string[] {
  const found = cluster['log'];
  const lines: readonly unknown[] = Array.isArray(found) ? found : [found ?? ''];
  return lines.flatMap((text) => String(text).split('\n')).filter((line) => line.trim() !== '');
}
