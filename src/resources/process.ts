import { integer, map, optional, text } from '../contract/field.ts';
import { operation } from '../contract/operation.ts';
import { type RecordOf, record } from '../contract/record.ts';
import { page, sole } from '../contract/reply.ts';
import { resource } from '../contract/resource.ts';
import { type Action, StackAction } from './action.ts';

export const Process = record(
  'process',
  {
    name: text('Name.'),
    servers: map(integer('Number of instances.'), 'Instances by server name.'),
    servers_pauses: optional(map(integer('Number of paused instances.'), 'Paused instances by server name.')),
    command: text('Command.'),
    md5: text('MD5 digest of the command.'),
  },
  ['name', 'servers', 'command'],
  { plural: 'processes', wrappedColumn: 'command' },
);

export type ProcessRow = RecordOf<typeof Process>;

/** Joins the rows of each process, because some services send a row for each server of a process. */
export function joinProcesses(rows: readonly ProcessRow[]): readonly ProcessRow[] {
  const joinedRows = new Map<string, ProcessRow>();
  for (const row of rows) {
    const { servers, servers_pauses: pauses } = joinedRows.get(row.name) ?? row;
    const servers_pauses = pauses || row.servers_pauses ? { ...pauses, ...row.servers_pauses } : undefined;
    const merged = { ...row, servers: { ...servers, ...row.servers }, ...(servers_pauses && { servers_pauses }) };
    joinedRows.set(row.name, joinedRows.has(row.name) ? merged : row);
  }
  return [...joinedRows.values()];
}

/** Returns `2 on shop-web-1, 1 on shop-web-2`. */
export function countsText(servers: ProcessRow['servers']): string {
  return Object.entries(servers)
    .map(([server, count]) => `${count} on ${server}`)
    .join(', ');
}

/** True for an action that scales a process. The action does not say which process. */
export function isScaleAction({ action, action_type }: Action): boolean {
  return /process_?scale/i.test(action ?? action_type ?? '');
}

const processNameParam = text('Name of the process.', { label: 'process', nameKind: 'process name' });
const notFoundHints = { listCommand: 'process list', missing: 'process {id}' };

export const processes = {
  list: operation('GET /stacks/:stack_id/processes', {
    params: { server_uid: optional(text('Only this server (UID).', { label: 'server' })) },
    reply: page(Process),
  }),
  get: operation('GET /stacks/:stack_id/processes/:id', {
    params: { id: processNameParam },
    reply: { ...sole(Process), named: ['name', 'md5'] },
    undocumented: 'The ID in the path is the name of the process.',
    ...notFoundHints,
  }),
  scale: operation('POST /stacks/:stack_id/processes/:id/scale', {
    about: 'Scale a process.',
    params: {
      id: processNameParam,
      process_name: optional(text('Name of the process.')),
      server_count: optional(map(integer('Count on that server.'), 'Counts by server UID.')),
    },
    reply: sole(StackAction, ['id']),
    check: 'process get {id}',
    undocumented:
      'The request body: `process_name`, and `server_count` with absolute counts by server UID. A server left out keeps its count. Some services require the scope `admin`.',
    ...notFoundHints,
  }),
};

/** Processes have no ID of their own, so the name serves as the ID. */
export const processResource = resource({ list: processes.list, nameKind: 'process name' });
