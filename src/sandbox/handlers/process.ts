import { beginNamedAction } from '../actions.ts';
import { type HandlersOf, refuse, serverOf, stackOf } from '../context.ts';
import type { ProcessState, ServerState, StackState } from '../state.ts';

export const processHandlers: HandlersOf<'processes'> = {
  list: (context, { stack_id, server_uid }) => {
    const stack = stackOf(context, stack_id);
    const servers = server_uid === undefined ? stack.servers : [serverOf(context, { stack_id, server_id: server_uid })];
    const rows = stack.processes.map((processState) => toProcessRecord(servers, processState));
    return rows.filter((row) => server_uid === undefined || Object.keys(row.servers).length > 0);
  },
  get: (context, { stack_id, id }) => {
    const stack = stackOf(context, stack_id);
    return toProcessRecord(stack.servers, processOf(stack, id));
  },
  scale: (context, { stack_id, id, process_name, server_count }) => {
    const stack = stackOf(context, stack_id);
    const processState = processOf(stack, id);
    if (process_name !== undefined && process_name !== id) {
      refuse(400, `process_name "${process_name}" does not match the process in the path, "${id}"`);
    }
    const newCounts = server_count ?? refuse(400, 'parameter "server_count" is missing');
    checkCounts(stack, newCounts);
    return beginNamedAction(context, stack, { action: 'Process_scale' }, () => {
      processState.counts = { ...processState.counts, ...newCounts };
      return { message: `Process ${id} scaled.` };
    });
  },
};

function processOf({ processes }: StackState, name: string): ProcessState {
  return processes.find((processState) => processState.name === name) ?? refuse(404, `process "${name}" not found`);
}

function toProcessRecord(servers: readonly ServerState[], { counts, ...facts }: ProcessState) {
  // The state has counts by server UID, and the reply has them by the current names of the servers.
  const countPairs = servers.flatMap(({ row }) => {
    const count = counts[row.uid];
    return count === undefined ? [] : [[row.name, count] as const];
  });
  return { ...facts, servers: Object.fromEntries(countPairs) };
}

function checkCounts({ servers }: StackState, counts: Readonly<Record<string, number>>): void {
  if (Object.keys(counts).length === 0) refuse(400, 'server_count must name a server');
  for (const [uid, count] of Object.entries(counts)) {
    if (!servers.some(({ row }) => row.uid === uid)) refuse(404, `server "${uid}" not found`);
    if (count < 0) refuse(400, `server_count of "${uid}" must be at least 0; got ${count}`);
  }
}
