import { call } from '../../builders/call.ts';
import { customCommand } from '../../builders/custom-command.ts';
import { findTarget } from '../../builders/resource/find.ts';
import type { Menu } from '../../contract/command.ts';
import { inStack } from '../../contract/params.ts';
import type { Row } from '../../contract/record.ts';
import { Process, type ProcessRow, processes } from '../../resources/process.ts';
import { server, servers } from '../../resources/server.ts';
import { scaleCommand, serverParam } from './scale.ts';

const listCommand = customCommand({
  moreEffects: [],
  about: 'List the processes of a stack.',
  params: { stack_id: inStack, server: serverParam },
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
  present: (row) => ({ kind: 'detail', record: shownProcess, row: withPauses(row) }),
});

/** Paused processes are shown beside the running ones, so the field `servers_pauses` is left out. */
const { servers_pauses: _, ...shownFields } = Process.fields;
const shownProcess = { ...Process, fields: shownFields };

function withPauses(row: ProcessRow): Row {
  const { servers_pauses: paused } = row;
  // Without paused processes the row is shown as it was received.
  if (!paused || Object.keys(paused).length === 0) return row;
  const { servers: running } = row;
  const shownServers = Object.entries(running).map(([server, count]) => {
    const pausedCount = paused[server];
    return [server, pausedCount ? `${count} (${pausedCount} paused)` : count];
  });
  return { ...row, servers: Object.fromEntries(shownServers) };
}

export const processCommands: Menu = {
  'process list': listCommand,
  'process get': getCommand,
  'process scale': scaleCommand,
};
