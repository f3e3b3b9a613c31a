import { isScaleAction, joinProcesses, type ProcessRow, processes } from '../../../resources/process.ts';
import { servers } from '../../../resources/server.ts';
import { entryPathOf } from '../../../state/entry.ts';
import { createScalePlan, currentCounts, planNewCounts, type Scaling } from '../../process/scale.ts';
import { requestedText } from '../compare.ts';
import { type FileSection, itemIdentity, type StackItem, type WantedItem } from '../section.ts';

/** The section of process counts: an item for each process on each server. */
export const processesSection: FileSection = {
  name: 'processes',
  reads: [servers.list, processes.list],
  writes: [processes.scale],
  read: async ({ call, stack_id, listServers }) => {
    const [rows, serverRows] = await Promise.all([call(processes.list, { stack_id }), listServers()]);
    return joinProcesses(rows).flatMap((row) =>
      Object.entries(row.servers ?? {}).map(([label, count]): StackItem => {
        // The label of a count is the name of a server or, from some services, its UID, so both are looked up.
        const server = serverRows.find(({ name }) => name === label) ?? serverRows.find(({ uid }) => uid === label);
        const unlistedPath = entryPathOf({ section: 'processes', key: row.name, server: label });
        return {
          ...itemIdentity('processes', row.name, server),
          ...(!server && { path: unlistedPath, unmanagedReason: 'its server is not listed' }),
          value: String(count),
          changed_at: null,
          count,
          isSecret: false,
          row,
        };
      }),
    );
  },
  refusalReason: ({ item }) => (item ? undefined : 'the process has no count there'),
  mayBeChangedBy: (_, action) => isScaleAction(action),
  newExpression: ({ count }) => ({ kind: 'count', least: count ?? 0, most: count ?? 0 }),
  phaseOf: (wanted) => (Number(requestedText(wanted)) < (wanted.item?.count ?? 0) ? 'shrink' : 'grow'),
  planChanges: (context, stack_id, wanted) => {
    const listed = wanted.map(({ item }) => item?.row as ProcessRow);
    const scalings = wanted.map((one) => scalingOf(stack_id, one));
    return [createScalePlan(context, { stack_id, listed, includesAllServers: false }, scalings)];
  },
  textOf: (value) => (typeof value === 'object' && value ? String(Object.values(value)[0]) : value),
  readValue: async ({ call, stack_id }, wanted) => {
    const counts = currentCounts(await call(processes.list, { stack_id }), scalingOf(stack_id, wanted));
    return counts && String(Object.values(counts)[0]);
  },
};

function scalingOf(stack_id: string, wanted: WantedItem): Scaling {
  const { entry, item, server } = wanted;
  const argument = { name: entry.key, sign: '=', number: Number(requestedText(wanted)) } as const;
  return planNewCounts(argument, stack_id, [[item?.row as ProcessRow], server ? [server] : []], server?.uid);
}
