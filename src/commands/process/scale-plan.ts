import type { RecordOf } from '../../contract/record.ts';
import { findAmong } from '../../kinds/find.ts';
import { findNamed } from '../../kinds/find-named.ts';
import { Problem } from '../../problems/problem.ts';
import type { ProcessRow } from '../../resources/process.ts';
import { type Server, server } from '../../resources/server.ts';
import { type ScaleArgument, scaledCount } from './scale-arguments.ts';

type ServerRow = RecordOf<typeof Server>;
export type Counts = Readonly<Record<string, number>>;

/** What scaling one process comes to, before anything is sent. */
export interface Scaling {
  readonly name: string;
  /** How many run, and how many shall, by server name. */
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

/** One scaling for each argument; throws not_found, ambiguous, or usage where nothing says on which server. */
export function planScaling(asked: readonly ScaleArgument[], situation: Situation): readonly Scaling[] {
  return asked.map((argument) => planOne(argument, situation));
}

function planOne(argument: ScaleArgument, situation: Situation): Scaling {
  const { name, servers: running } = findProcess(argument.name, situation);
  const rows = serversOf({ name, running: running ?? {} }, situation);
  const before = rows.map((row): [string, number] => [row.name, running?.[row.name] ?? 0]);
  const after = before.map(([name, count]): [string, number] => [name, scaledCount(count, argument)]);
  return {
    name,
    before: Object.fromEntries(before),
    after: Object.fromEntries(after),
    counts: Object.fromEntries(rows.map(({ uid }, index) => [uid, after[index]?.[1] ?? 0])),
  };
}

function findProcess(typed: string, { processes, stack_id }: Situation): ProcessRow {
  return findNamed(processes, typed, {
    kind: 'process',
    idOf: ({ name }) => name,
    nameOf: ({ name }) => name,
    lister: { path: 'process list', stack_id },
  });
}

/** The service tells counts by server name and takes them by UID. */
function serversOf(
  { name, running }: { readonly name: string; readonly running: Counts },
  { servers, only, stack_id }: Situation,
): readonly ServerRow[] {
  if (only !== undefined) return [findAmong(server, servers, only, { stack_id })];
  const names = Object.keys(running);
  if (names.length > 0) return names.map((name) => findAmong(server, servers, name, { stack_id }));
  throw new Problem('usage', `process "${name}" has no count on any server: say where with --server`, {
    hint: { path: 'server list', stack_id },
  });
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
