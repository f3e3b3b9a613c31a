import { findAmong } from '../../builders/resource/find.ts';
import { CliError } from '../../errors/cli-error.ts';
import { joinProcesses, type ProcessRow, processResource } from '../../resources/process.ts';
import { type ServerRow, server } from '../../resources/server.ts';

export type Scaling = ReturnType<typeof planScaling>;

/**
 * Plans the new counts of a process on the server `only` (a UID or name), by default on each server that lists it.
 * Throws `not_found` or `ambiguous` for an unknown or repeated name, and `usage` if no server lists the process.
 */
export function planScaling(
  argument: ScaleArgument,
  stack_id: string,
  [processes, servers]: readonly [readonly ProcessRow[], readonly ServerRow[]],
  only: string | undefined,
) {
  const { name, servers: oldCounts } = findAmong(processResource, joinProcesses(processes), argument.name, {
    stack_id,
  });
  const serverNames = only === undefined ? Object.keys(oldCounts) : [only];
  if (serverNames.length === 0) {
    const hint = { path: 'server list', stack_id };
    throw new CliError('usage', `process "${name}" is listed on no server; choose one with --server`, { hint });
  }
  const scaledServers = serverNames.map((one) => {
    const row = findAmong(server, servers, one, { stack_id });
    const before = countOnServer(oldCounts, row);
    return { ...row, before, after: scaledCount(before, argument) };
  });
  return {
    name,
    before: Object.fromEntries(scaledServers.map((row) => [row.name, row.before])),
    after: Object.fromEntries(scaledServers.map((row) => [row.name, row.after])),
    uids: Object.fromEntries(scaledServers.map((row) => [row.name, row.uid])),
    // A request has counts by UID, although the service lists them by name.
    counts: Object.fromEntries(scaledServers.map((row) => [row.uid, row.after])),
  };
}

/** Returns the body of a scale request. The body is not documented, and its shape is known only here. */
export function scalePayload({ name, counts }: Pick<Scaling, 'name' | 'counts'>, fields: object): object {
  return { process_name: name, server_count: counts, ...fields };
}

/** Returns the current counts on the servers of a scaling, 0 where unlisted; undefined for an unlisted process. */
export function currentCounts(processes: readonly ProcessRow[], { name, uids }: Pick<Scaling, 'name' | 'uids'>) {
  const counts = joinProcesses(processes).find((one) => one.name === name)?.servers;
  if (!counts) return undefined;
  return Object.fromEntries(
    Object.entries(uids).map(([serverName, uid]) => [serverName, countOnServer(counts, { name: serverName, uid })]),
  );
}

/** Returns the count on a server. Some services list counts by UID instead of name. */
function countOnServer(counts: ProcessRow['servers'], { name, uid }: Pick<ServerRow, 'name' | 'uid'>): number {
  return counts[name] ?? counts[uid] ?? 0;
}

type ScaleArgument = ReturnType<typeof readScaleArgument>;

/** Reads `worker=3`, `worker=+1` and `worker=-1`. Throws `usage` for another format and for a repeated process. */
export function readScaleArguments(changes: readonly string[]): readonly ScaleArgument[] {
  const parsed = changes.map(readScaleArgument);
  const repeated = parsed.find(({ name }, index) => parsed.findIndex((other) => other.name === name) < index);
  if (repeated) throw new CliError('usage', `process "${repeated.name}" is given twice`);
  return parsed;
}

function readScaleArgument(argument: string) {
  const [, name, sign, digits] = /^([^=]+)=([+-]?)([^=+-]*)$/.exec(argument) ?? [];
  if (name === undefined || digits === undefined) {
    throw new CliError('usage', `give NAME=N, NAME=+N or NAME=-N, not "${argument}"`);
  }
  if (!/^[0-9]{1,4}$/.test(digits)) {
    throw new CliError('usage', `the count in "${argument}" must be a whole number up to 9999`);
  }
  return { name, sign: (sign || '=') as '=' | '+' | '-', number: Number(digits) };
}

/** Returns the count after the change, which is never below 0. */
export function scaledCount(before: number, { sign, number }: ScaleArgument): number {
  if (sign === '=') return number;
  return Math.max(0, sign === '+' ? before + number : before - number);
}
