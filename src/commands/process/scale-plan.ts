import { findAmong } from '../../kinds/resource/find.ts';
import { Problem } from '../../problems/problem.ts';
import { type ProcessRow, processNoun } from '../../resources/process.ts';
import { type ServerRow, server } from '../../resources/server.ts';
import { type ScaleArgument, scaledCount } from './scale-arguments.ts';

export type Counts = Readonly<Record<string, number>>;

/** The planned counts of one process. */
export interface Scaling {
  readonly name: string;
  /** Current and wanted counts by server name. */
  readonly before: Counts;
  readonly after: Counts;
  /** The wanted counts by server UID, as the service takes them. */
  readonly counts: Counts;
}

export interface Situation {
  readonly stack_id: string;
  readonly processes: readonly ProcessRow[];
  readonly servers: readonly ServerRow[];
  /** UID or name of the only server to change; without it, every server that lists the process. */
  readonly only: string | undefined;
}

/** The counts that an argument leads to; throws not_found, ambiguous, or usage where no server is known. */
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
  throw new Problem('usage', `process "${name}" is listed on no server; choose one with --server`, {
    hint: { path: 'server list', stack_id },
  });
}

/** The body of a scale request. It is not documented; its shape is known only here. */
export function scalePayload({ name, counts }: Pick<Scaling, 'name' | 'counts'>, fields: object): object {
  return { process_name: name, server_count: counts, ...fields };
}

/** The current counts on the servers of a scaling; undefined where the process is not listed. */
export function countsNow(processes: readonly ProcessRow[], { name, after }: Scaling): Counts | undefined {
  const running = processes.find((one) => one.name === name)?.servers;
  return running && Object.fromEntries(Object.keys(after).map((where) => [where, running[where] ?? 0]));
}

/** Whether the wanted counts run; a server that is not shown counts as 0. */
export function runs(now: Counts, asked: Counts): boolean {
  return Object.entries(asked).every(([where, count]) => (now[where] ?? 0) === count);
}
