import { findAmong } from '../../builders/resource/find.ts';
import { CliError } from '../../errors/cli-error.ts';
import { joinProcesses, type ProcessRow, processType } from '../../resources/process.ts';
import { type ServerRow, server } from '../../resources/server.ts';

export type Scaling = ReturnType<typeof planScaling>;

/**
 * The new counts on the server with the UID or name `only`, by default on each that lists the process.
 * Throws not_found, ambiguous, or usage where no server is known.
 */
export function planScaling(
  argument: ScaleArgument,
  stack_id: string,
  [processes, servers]: readonly [readonly ProcessRow[], readonly ServerRow[]],
  only: string | undefined,
) {
  const { name, servers: running } = findAmong(processType, joinProcesses(processes), argument.name, { stack_id });
  const names = only === undefined ? Object.keys(running) : [only];
  if (names.length === 0) {
    const hint = { path: 'server list', stack_id };
    throw new CliError('usage', `process "${name}" is listed on no server; choose one with --server`, { hint });
  }
  const on = names.map((one) => {
    const row = findAmong(server, servers, one, { stack_id });
    const before = countOn(running, row);
    return { ...row, before, after: scaledCount(before, argument) };
  });
  return {
    name,
    before: Object.fromEntries(on.map((row) => [row.name, row.before])),
    after: Object.fromEntries(on.map((row) => [row.name, row.after])),
    uids: Object.fromEntries(on.map((row) => [row.name, row.uid])),
    // The request has counts by UID; the service lists them by name.
    counts: Object.fromEntries(on.map((row) => [row.uid, row.after])),
  };
}

/** The body of a scale request. It is not documented; its shape is known only here. */
export function scalePayload({ name, counts }: Pick<Scaling, 'name' | 'counts'>, fields: object): object {
  return { process_name: name, server_count: counts, ...fields };
}

/** The current counts on the servers of a scaling, 0 on an unlisted server; undefined for an unlisted process. */
export function countsNow(processes: readonly ProcessRow[], { name, uids }: Pick<Scaling, 'name' | 'uids'>) {
  const running = joinProcesses(processes).find((one) => one.name === name)?.servers;
  if (!running) return undefined;
  return Object.fromEntries(
    Object.entries(uids).map(([where, uid]) => [where, countOn(running, { name: where, uid })]),
  );
}

/** Some services send counts by UID. */
function countOn(counts: ProcessRow['servers'], { name, uid }: Pick<ServerRow, 'name' | 'uid'>): number {
  return counts[name] ?? counts[uid] ?? 0;
}

type ScaleArgument = ReturnType<typeof readArgument>;

/** `worker=3`, `worker=+1`, `worker=-1`. Throws usage. */
export function readScaleArguments(changes: readonly string[]): readonly ScaleArgument[] {
  const read = changes.map(readArgument);
  const twice = read.find(({ name }, index) => read.findIndex((other) => other.name === name) < index);
  if (twice) throw new CliError('usage', `process "${twice.name}" is given twice`);
  return read;
}

function readArgument(argument: string) {
  const [, name, sign, digits] = /^([^=]+)=([+-]?)([^=+-]*)$/.exec(argument) ?? [];
  if (name === undefined || digits === undefined) {
    throw new CliError('usage', `give NAME=N, NAME=+N or NAME=-N, not "${argument}"`);
  }
  if (!/^[0-9]{1,4}$/.test(digits)) {
    throw new CliError('usage', `the count in "${argument}" must be a whole number up to 9999`);
  }
  return { name, sign: (sign || '=') as '=' | '+' | '-', number: Number(digits) };
}

/** The count after the change; never below 0. */
export function scaledCount(before: number, { sign, number }: ScaleArgument): number {
  if (sign === '=') return number;
  return Math.max(0, sign === '+' ? before + number : before - number);
}
