import { act } from '../../builders/act.ts';
import { call } from '../../builders/call.ts';
import { send } from '../../builders/execute/send.ts';
import { changeRecord, linesOf, verbs } from '../../builders/execute/summary.ts';
import { get } from '../../builders/get.ts';
import { idFields } from '../../builders/resource/row.ts';
import { write } from '../../builders/write.ts';
import type { Menu, Presentation } from '../../contract/command.ts';
import { text } from '../../contract/field.ts';
import type { Plan, Step } from '../../contract/plan.ts';
import type { RecordOf } from '../../contract/record.ts';
import { Cluster, cluster, clusters } from '../../resources/cluster.ts';
import { declareBodyFields, readBodyFields } from '../api/body-fields.ts';

export const clusterCommands: Menu = {
  'cluster list': call(clusters.list, { examples: ['stackops cluster list'] }),
  'cluster get': get(cluster, clusters.get, {
    examples: ['stackops cluster get prod-eu', 'stackops cluster get prod-eu --show-log --json --fields log'],
    present: presentCluster,
  }),
  // The body and the response are not documented, so `--field` sets the fields of the body.
  'cluster create': write({
    about: clusters.create.about,
    params: { field: declareBodyFields('Set a field of the request body.') },
    examples: ['stackops cluster create --field name=prod-us --field cloud=hetzner'],
    calls: [clusters.create],
    record: changeRecord(idFields(cluster)),
    plan: async (context, { field = [] }): Promise<Plan> => {
      const body = readBodyFields(field, []);
      const name = typeof body['name'] === 'string' ? body['name'] : null;
      const step: Step = {
        id: { uid: null, name },
        name: name === null ? 'cluster' : `cluster ${name}`,
        change: 'created',
        send: () => send(context, clusters.create, body),
        done: (reply) => ((reply?.uid ?? reply?.id) ? { id: { uid: reply.uid ?? null }, after: reply } : {}),
      };
      return { steps: [step], summarize: (changes) => ({ lines: linesOf([step], changes, { verb: verbs.create }) }) };
    },
  }),
  'cluster reboot': act(cluster, clusters.reboot, {
    verb: { ...verbs.reboot, act: 'Reboot the servers of' },
    examples: [
      'stackops cluster reboot prod-eu',
      'stackops cluster reboot prod-eu --strategy serial --confirm prod-eu',
    ],
    confirm: { level: 'typed' },
  }),
};

function presentCluster(row: RecordOf<typeof Cluster>): Presentation {
  // Each time has two fields, of which one is shown. Each node and each line of the log is shown as a field.
  const { nodes: _, log: __, created_at_iso: ___, updated_at_iso: ____, ...plain } = Cluster.fields;
  const nodes = (row.nodes ?? []).map(({ name, status, instance_type, capacity }) => {
    const amounts = Object.entries(capacity ?? {}).map(([resource, amount]) => `${resource} ${amount}`);
    return [`node ${name ?? '-'}`, [status, instance_type, ...amounts].filter(Boolean).join(', ')] as const;
  });
  const logTexts: readonly unknown[] = [row.log ?? ''].flat();
  const logLines = logTexts.flatMap((one) => String(one).split('\n')).filter((line) => line.trim() !== '');
  const logs = logLines.map((line, index) => [`log ${index + 1}`, line] as const);
  const linesByName = Object.fromEntries([...nodes, ...logs]);
  const fields = { ...plain, ...Object.fromEntries(Object.keys(linesByName).map((name) => [name, text('A line.')])) };
  return { kind: 'detail', record: { ...Cluster, fields }, row: { ...row, ...linesByName } };
}
