import type { RecordOf } from '../../contract/record.ts';
import type { Process } from '../../resources/process.ts';
import { beginNamedAction } from '../actions.ts';
import { type HandlersOf, refuse, serverOf, stackOf } from '../context.ts';
import type { ProcessState, StackState } from '../state.ts';

export const processHandlers: HandlersOf<'processes'> = {
  list: (context, { stack_id, server_uid }) => {
    const stack = stackOf(context, stack_id);
    if (server_uid === undefined) return stack.processes.map((processState) => toProcessRecord(stack, processState));
    const servers = [serverOf(context, { stack_id, server_id: server_uid })];
    const rows = stack.processes.map((processState) => toProcessRecord({ servers }, processState));
    return rows.filter((row) => Object.keys(row.servers).length > 0);
  },
  get: (context, { stack_id, id }) => {
    const stack = stackOf(context, stack_id);
    return toProcessRecord(stack, processOf(stack, id));
  },
  scale: (context, { stack_id, id, process_name, server_count }) => {
    const stack = stackOf(context, stack_id);
    const processState = processOf(stack, id);
    const { name } = processState;
    if (process_name !== undefined && process_name !== name) {
      refuse(400, `process_name "${process_name}" does not match the process in the path, "${name}"`);
    }
    const newCounts = server_count ?? refuse(400, 'parameter "server_count" is missing');
    checkCounts(stack, newCounts);
    return beginNamedAction(context, stack, { action: 'Process_scale' }, () => {
      processState.counts = { ...processState.counts, ...newCounts };
      return { message: `Process ${name} scaled.` };
    });
  },
};

function processOf({ processes }: StackState, name: string): ProcessState {
  return processes.find((processState) => processState.name === name) ?? refuse(404, `process "${name}" not found`);
}

type Servers = Pick<StackState, 'servers'>;

function toProcessRecord({ servers }: Servers, { counts, ...facts }: ProcessState): RecordOf<typeof Process> {
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
