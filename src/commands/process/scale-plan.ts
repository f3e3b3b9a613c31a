import { findAmong } from '../../kinds/resource/find.ts';
import { Problem } from '../../problems/problem.ts';
import { type ProcessRow, processNoun } from '../../resources/process.ts';
import { type ServerRow, server } from '../../resources/server.ts';
import { type ScaleArgument, scaledCount } from './scale-arguments.ts';

export type Counts = Readonly<Record<string, number>>;

/** What scaling one process comes to, before anything is sent. */
export interface Scaling {
  readonly name: string;
  /** How many run, and how many are to run, by server name. */
  readonly before: Counts;
  readonly after: Counts;
  /** The latter by server UID, as the service wants it. */
  readonly counts: Counts;
}

export interface Situation {
  readonly stack_id: string;
  readonly processes: readonly ProcessRow[];
  readonly servers: readonly ServerRow[];
  /** UID or name of the one server to act on; without it, every server the process has a count for. */
  readonly only: string | undefined;
}

/** What an argument comes to; throws not_found, ambiguous, or usage where nothing says on which server. */
export function planScaling(argument: ScaleArgument, situation: Situation): Scaling {
  const { stack_id, processes } = situation;
  const { name, servers: running = {} } = findAmong(processNoun, processes, argument.name, { stack_id });
  const on = serversOf({ name, running }, situation).map((row) => {
    const before = running[row.name] ?? 0;
    return { ...row, before, after: scaledCount(before, argument) };
  });
  return {
    name,
    before: Object.fromEntries(on.map((row) => [row.name, row.before])),
    after: Object.fromEntries(on.map((row) => [row.name, row.after])),
    counts: Object.fromEntries(on.map((row) => [row.uid, row.after])),
  };
}

/** The service sends counts by server name and takes them by UID. */
function serversOf(
  { name, running }: { readonly name: string; readonly running: Counts },
  { servers, only, stack_id }: Situation,
): readonly ServerRow[] {
  const names = only === undefined ? Object.keys(running) : [only];
  if (names.length > 0) return names.map((one) => findAmong(server, servers, one, { stack_id }));
  throw new Problem('usage', `process "${name}" has no count on any server: say where with --server`, {
    hint: { path: 'server list', stack_id },
  });
}

/** The body of a scale request. The service's document does not show it: this is the one place that knows its shape. */
export function scalePayload({ name, counts }: Pick<Scaling, 'name' | 'counts'>, fields: object): object {
  return { process_name: name, server_count: counts, ...fields };
}

/** How many run on each server of the scaling; undefined where the process is not listed. */
export function countsNow(processes: readonly ProcessRow[], { name, after }: Scaling): Counts | undefined {
  const running = processes.find((one) => one.name === name)?.servers;
  return running && Object.fromEntries(Object.keys(after).map((where) => [where, running[where] ?? 0]));
}

/** Whether as many run as are asked for; of what is not shown none runs. */
export function runs(now: Counts, asked: Counts): boolean {
  return Object.entries(asked).every(([where, count]) => (now[where] ?? 0) === count);
}
