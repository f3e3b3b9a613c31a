import { call } from '../../builders/call.ts';
import { customCommand } from '../../builders/custom-command.ts';
import { findTarget } from '../../builders/resource/find.ts';
import type { Menu } from '../../contract/command.ts';
import { stackParam } from '../../contract/params.ts';
import type { Row } from '../../contract/record.ts';
import { Process, type ProcessRow, processes } from '../../resources/process.ts';
import { server, serverParam, servers } from '../../resources/server.ts';
import { scaleCommand } from './scale.ts';

const listCommand = customCommand({
  about: 'List the processes of a stack.',
  params: { stack_id: stackParam, server: serverParam },
  examples: ['stackops process list -s shop', 'stackops process list -s shop --server shop-web-1'],
  calls: [servers.list, processes.list],
  reply: processes.list.reply,
  isRead: true,
  run: async (context, { stack_id, server: server_id }) => {
    const target = server_id === undefined ? undefined : await findTarget(context, server, { stack_id, server_id });
    const request = { stack_id, ...(target && { server_uid: String(target.id) }) };
    return context.call(processes.list, request, { limit: context.limit });
  },
  present: (rows) => ({ kind: 'table', record: Process, rows: rows.map(withPauses) }),
});

const getCommand = call(processes.get, {
  examples: ['stackops process get worker -s shop'],
  present: (row) => ({ kind: 'detail', record: ProcessDetail, row: withPauses(row) }),
});

/** Paused processes are shown beside the running ones, so the field `servers_pauses` is left out. */
const { servers_pauses: _, ...shownFields } = Process.fields;
const ProcessDetail = { ...Process, fields: shownFields };

function withPauses(row: ProcessRow): Row {
  const { servers_pauses: pausedCounts } = row;
  if (!pausedCounts || Object.keys(pausedCounts).length === 0) return row;
  // Read only here: `servers` of the wrong type throws where it is read.
  const { servers: runningCounts } = row;
  const shownServers = Object.entries(runningCounts).map(([server, count]) => {
    const pausedCount = pausedCounts[server];
    return [server, pausedCount ? `${count} (${pausedCount} paused)` : count];
  });
  return { ...row, servers: Object.fromEntries(shownServers) };
}

export const processCommands: Menu = {
  'process list': listCommand,
  'process get': getCommand,
  'process scale': scaleCommand,
};
