import type { RecordOf } from '../../contract/record.ts';
import { findNamed } from '../../kinds/find-named.ts';
import { Problem } from '../../problems/problem.ts';
import type { Process } from '../../resources/process.ts';
import { findServer, type ServerRow } from '../server/find.ts';
import { type ScaleWord, scaledCount } from './scale-words.ts';

type Counts = Readonly<Record<string, number>>;

/** What scaling one process comes to, before anything is sent. */
export interface ScaleStep {
  readonly name: string;
  /** How many run, and how many shall, by server name. */
  readonly before: Counts;
  readonly after: Counts;
  /** The latter by server UID, as the service wants it. */
  readonly counts: Counts;
}

export interface Situation {
  readonly stack_id: string;
  readonly processes: readonly RecordOf<typeof Process>[];
  readonly servers: readonly ServerRow[];
  /** UID or name of the one server to act on; without it, every server the process has a count for. */
  readonly only: string | undefined;
}

/** One step for each word; throws not_found, ambiguous, or usage where nothing says on which server. */
export function planScaling(words: readonly ScaleWord[], situation: Situation): readonly ScaleStep[] {
  return words.map((word) => planStep(word, situation));
}

function planStep(word: ScaleWord, situation: Situation): ScaleStep {
  const { name, servers: running } = findProcess(word.name, situation);
  const rows = serversOf({ name, running: running ?? {} }, situation);
  const before = rows.map((server): [string, number] => [server.name, running?.[server.name] ?? 0]);
  const after = before.map(([server, count]): [string, number] => [server, scaledCount(count, word)]);
  return {
    name,
    before: Object.fromEntries(before),
    after: Object.fromEntries(after),
    counts: Object.fromEntries(rows.map(({ uid }, index) => [uid, after[index]?.[1] ?? 0])),
  };
}

function findProcess(word: string, { processes, stack_id }: Situation): RecordOf<typeof Process> {
  return findNamed(processes, word, {
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
  if (only !== undefined) return [findServer(servers, { stack_id, server_id: only })];
  const names = Object.keys(running);
  if (names.length > 0) return names.map((server_id) => findServer(servers, { stack_id, server_id }));
  throw new Problem('usage', `process "${name}" has no count on any server: say where with --server`, {
    hint: { path: 'server list', stack_id },
  });
}
