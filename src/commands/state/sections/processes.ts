import { joinProcesses, type ProcessRow, processes } from '../../../resources/process.ts';
import { servers } from '../../../resources/server.ts';
import { entryPathOf } from '../../../state/entry.ts';
import { isScaleAction, planScalings } from '../../process/scale.ts';
import { currentCounts, planScaling } from '../../process/scale-plan.ts';
import { nearestCount } from '../compare.ts';
import type { FileSection, StackItem, WantedItem } from '../section.ts';

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
        return {
          section: 'processes',
          path: entryPathOf({ section: 'processes', key: row.name, server: server?.name ?? label }),
          key: row.name,
          ...(server ? { server } : { unmanagedReason: 'its server is not listed' }),
          value: String(count),
          changed_at: null,
          count,
          isSecret: false,
          row,
        };
      }),
    );
  },
  hasWantedValue: (wanted) => wanted.item?.count === targetCount(wanted),
  refusalReason: ({ item }) => (item ? undefined : 'the process has no count there'),
  mayBeChangedBy: (_, action) => isScaleAction(action),
  newExpression: ({ count }) => ({ kind: 'count', least: count ?? 0, most: count ?? 0 }),
  phaseOf: (wanted) => (targetCount(wanted) < (wanted.item?.count ?? 0) ? 'shrink' : 'grow'),
  plan: (context, stack_id, wanted) => {
    const listed = wanted.map(({ item }) => item?.row as ProcessRow);
    return planScalings(context, { stack_id, listed, includesAllServers: false }, wanted.map(scalingOf(stack_id)));
  },
  textOf: (value) => (typeof value === 'object' && value ? String(Object.values(value)[0]) : value),
  readValue: async ({ call, stack_id }, wanted) => {
    const counts = currentCounts(await call(processes.list, { stack_id }), scalingOf(stack_id)(wanted));
    return counts && String(Object.values(counts)[0]);
  },
};

const scalingOf = (stack_id: string) => (wanted: WantedItem) => {
  const { entry, item, server } = wanted;
  const argument = { name: entry.key, sign: '=', number: targetCount(wanted) } as const;
  const processesAndServers = [[item?.row as ProcessRow], server ? [server] : []] as const;
  return planScaling(argument, stack_id, processesAndServers, server?.uid);
};

function targetCount({ entry: { expression }, item }: WantedItem): number {
  return expression.kind === 'count' ? nearestCount(expression, item) : 0;
}
