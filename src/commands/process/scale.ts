import { type Edit, planEdits } from '../../builders/execute/edit.ts';
import { isSameValue } from '../../builders/execute/send.ts';
import { changeRecord, isUnderWay, linesOf, undoAfter, verbs } from '../../builders/execute/summary.ts';
import { findAmong } from '../../builders/resource/find.ts';
import { write } from '../../builders/write.ts';
import type { Context } from '../../contract/command.ts';
import { type CommandLine, flagWords } from '../../contract/command-line.ts';
import { integer, many, map, text } from '../../contract/field.ts';
import type { Read } from '../../contract/observe.ts';
import { stackParam } from '../../contract/params.ts';
import type { Change, Plan, Question, ReplacedValue } from '../../contract/plan.ts';
import { groupBy } from '../../contract/values/group-by.ts';
import { CliError, readOrUndefined, refusedChangeError } from '../../errors/cli-error.ts';
import { actions, hasEnded } from '../../resources/action.ts';
import { recentLimit } from '../../resources/deployment.ts';
import {
  countsText,
  isScaleAction,
  joinProcesses,
  type ProcessRow,
  processes,
  processResource,
} from '../../resources/process.ts';
import { type ServerRow, server, serverParam, servers } from '../../resources/server.ts';
import { readStackTitle } from '../../resources/stack.ts';
import { createActionWatch, waitForBlocker } from '../../writes/wait/action.ts';
import { declareBodyFields, readBodyFields } from '../api/body-fields.ts';

export const scaleCommand = write({
  about: 'Scale processes on each of their servers, or on one.',
  params: {
    stack_id: stackParam,
    changes: many(
      text('Process and count.', { nameKind: 'process name' }),
      'NAME=N sets the count; NAME=+N and NAME=-N change it.',
      { label: 'NAME=N', assigns: [], repeats: true },
    ),
    server: serverParam,
    field: declareBodyFields('Add or override a field of the request body.'),
  },
  positionals: ['changes'],
  examples: [
    'stackops process scale worker=3 -s shop',
    'stackops process scale worker=+1 web=-1 -s shop -y',
    'stackops process scale worker=2 --server shop-web-1 -s shop',
  ],
  calls: [actions.list, processes.list, servers.list, processes.scale],
  record: changeRecord(
    { name: text('Name of the process.') },
    { before: map(integer('Count on that server.'), 'Counts by server name.') },
  ),
  printsList: true,
  confirm: {
    level: 'yes',
    act: 'Scale process',
    when: 'before a decrease on several servers, a count of 0 or over ten times as many',
  },
  plan: async (context, { stack_id, server: only, changes, field = [] }): Promise<Plan> => {
    // Arguments are checked before the first request.
    const scaleArguments = readScaleArguments(changes);
    const fields = readBodyFields(field, ['stack_id', 'id']);
    const flags = only === undefined ? [] : flagWords('--server', only);
    const sameCommand = { path: 'process scale', operands: changes, flags, stack_id };
    const isUnfinished = await awaitUnfinishedScales(context, scaleArguments, sameCommand);
    const listed = await context.call(processes.list, { stack_id });
    const processesAndServers = [listed, await context.call(servers.list, { stack_id })] as const;
    const scalings = scaleArguments.map((argument) => planNewCounts(argument, stack_id, processesAndServers, only));
    const basis = { stack_id, listed, fields, isUnfinished, includesAllServers: only === undefined };
    return { ...createScalePlan(context, basis, scalings), ask: askAboutCounts(context, stack_id, scalings) };
  },
});

interface ScalingBasis {
  readonly stack_id: string;
  readonly listed: readonly ProcessRow[];
  /** Fields of the body that were typed with `--field`. */
  readonly fields?: object;
  /** True while an earlier scale is unfinished. The listed counts will change, so no undo is offered. */
  readonly isUnfinished?: boolean;
  readonly includesAllServers: boolean;
}

export function createScalePlan(context: Context, basis: ScalingBasis, scalings: readonly Scaling[]): Plan {
  const { stack_id, listed, fields = {} } = basis;
  const read = (call: Read) => call(processes.list, { stack_id });
  // The effect of typed fields is not known, so the outcome is not compared with the request.
  const hasOnlyCounts = Object.keys(fields).length === 0;
  const allEdits = scalings.map(
    (scaling): Edit<readonly ProcessRow[]> => ({
      id: { name: scaling.name },
      name: `process ${scaling.name}`,
      stateBefore: listed,
      read,
      valueIn: (rows) => currentCounts(rows, scaling),
      requested: scaling.after,
      ...(hasOnlyCounts ? { replaces: replacedCounts(scaling) } : { hasRequestedValue: () => undefined }),
      operation: processes.scale,
      request: { ...scalePayload(scaling, fields), stack_id, id: scaling.name },
    }),
  );
  return {
    ...planEdits(context, allEdits),
    summarize: (changes) => ({
      lines: linesOf(allEdits, changes, { verb: verbs.update, details: (change) => [scaledText(change as Scaled)] }),
      undo: undoCommands(basis, changes as readonly Scaled[]),
    }),
  };
}

function replacedCounts({ name, before, after }: Scaling): readonly ReplacedValue[] {
  return Object.entries(after).map(([where, count]) => {
    return { kind: 'count', key: `${name} on ${where}`, before: before[where] ?? 0, after: count };
  });
}

type Counts = Scaling['counts'];
type Scaled = Change & Pick<Scaling, 'name' | 'before' | 'after'>;

function askAboutCounts(context: Context, stack_id: string, scalings: readonly Scaling[]): Question | undefined {
  const riskyScalings = scalings.filter(isRisky);
  if (riskyScalings.length === 0) return undefined;
  return {
    name: riskyScalings.map(({ name }) => name).join(', '),
    details: async () => [`of ${await readStackTitle(context, stack_id)}`, ...riskyScalings.map(totalText)],
    ...(riskyScalings.some(({ after }) => Object.keys(after).length > 1) && { warning: 'The number is per server.' }),
  };
}

function isRisky({ before, after }: Scaling): boolean {
  const drops = Object.entries(after).filter(([where, count]) => count < (before[where] ?? 0));
  return drops.length > 1 || drops.some(([, count]) => count === 0) || total(after) > 10 * Math.max(1, total(before));
}

function totalText({ name, before, after }: Scaling): string {
  const sumText = Object.keys(after).length > 1 ? `${total(before)} -> ${total(after)} in all: ` : '';
  return `${name} ${sumText}${transitionText(before, after)}`;
}

function total(counts: Counts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function scaledText({ change, before, after }: Scaled): string {
  if (change === 'unchanged' || change === 'accepted') return countsText(before);
  const sumText = `; per server, ${total(before)} -> ${total(after)} in all`;
  return `${transitionText(before, after)}${Object.keys(after).length === 1 ? '' : sumText}`;
}

function transitionText(before: Counts, after: Counts): string {
  const texts = Object.entries(after).map(([server, count]) => `${before[server]} -> ${count} on ${server}`);
  return texts.join(', ');
}

function undoCommands(basis: ScalingBasis, changes: readonly Scaled[]): readonly CommandLine[] {
  const { stack_id, isUnfinished, includesAllServers } = basis;
  if (isUnfinished) return [];
  const scaledChanges = changes.filter((change) => isUnderWay(change) && !isSameValue(change.before, change.after));
  // A process whose counts were equal is undone by one command, any other process by a command for each server.
  const hadEqualCounts = ({ before }: Scaled) => includesAllServers && new Set(Object.values(before)).size === 1;
  const evenOperand = ({ name, before }: Scaled) => ({ server: '', operand: `${name}=${Object.values(before)[0]}` });
  const operands = [
    ...scaledChanges.filter(hadEqualCounts).map(evenOperand),
    ...scaledChanges.filter((one) => !hadEqualCounts(one)).flatMap(serverOperands),
  ];
  const commands = [...groupBy(operands, ({ server }) => server)].map(([server, group]) => ({
    path: 'process scale',
    stack_id,
    operands: group.map(({ operand }) => operand),
    ...(server !== '' && { flags: flagWords('--server', server) }),
  }));
  return undoAfter(scaledChanges, stack_id, commands);
}

function serverOperands({ name, before, after }: Scaled) {
  const changed = Object.entries(before).filter(([server, count]) => count !== after[server]);
  return changed.map(([server, count]) => ({ server, operand: `${name}=${count}` }));
}

type ScaleCommand = CommandLine & { readonly stack_id: string };

/** True if a scale is unfinished. With --wait it waits for its end instead. Throws `rejected` for a difference. */
async function awaitUnfinishedScales(context: Context, args: readonly ScaleArgument[], sameCommand: ScaleCommand) {
  const { stack_id } = sameCommand;
  const actionRows = await readOrUndefined(context.call(actions.list, { stack_id }, { limit: recentLimit }));
  const unfinishedActions = (actionRows ?? []).filter((row) => row.id !== null && isScaleAction(row) && !hasEnded(row));
  if (unfinishedActions.length === 0) return false;
  if (context.wait && !context.dryRun) {
    for (const action of unfinishedActions) {
      const watch = createActionWatch(context.call, { stack_id, id: Number(action.id) }, action);
      await waitForBlocker(context, watch, 'not scaled');
    }
    return false;
  }
  const unfinishedText = `a scale is not finished (${unfinishedActions.map(({ id }) => `action ${id}`).join(', ')})`;
  const relativeArgument = args.find(({ sign }) => sign !== '=');
  if (!relativeArgument) {
    context.warn(`${unfinishedText}: the counts before it are shown`);
    return true;
  }
  const message = `${relativeArgument.name} cannot be scaled by a difference: ${unfinishedText}`;
  const waitCommands = unfinishedActions.map(({ id }) => ({ path: 'action wait', operands: [String(id)], stack_id }));
  throw refusedChangeError(message, [...waitCommands, sameCommand]);
}

export type Scaling = ReturnType<typeof planNewCounts>;
type ScaleRows = readonly [processes: readonly ProcessRow[], servers: readonly ServerRow[]];

/**
 * Plans the new counts of a process on the server `only` (a UID or name), by default on each server that lists it.
 * Throws `not_found` or `ambiguous` for an unknown or repeated name, and `usage` if no server lists the process.
 */
export function planNewCounts(argument: ScaleArgument, stack_id: string, [rows, serverRows]: ScaleRows, only?: string) {
  const { name, servers: oldCounts } = findAmong(processResource, joinProcesses(rows), argument.name, { stack_id });
  const serverNames = only === undefined ? Object.keys(oldCounts) : [only];
  if (serverNames.length === 0) {
    const hint = { path: 'server list', stack_id };
    throw new CliError('usage', `process "${name}" is listed on no server; choose one with --server`, { hint });
  }
  const scaledServers = serverNames.map((one) => {
    const row = findAmong(server, serverRows, one, { stack_id });
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
export function currentCounts(rows: readonly ProcessRow[], { name, uids }: Pick<Scaling, 'name' | 'uids'>) {
  const counts = joinProcesses(rows).find((row) => row.name === name)?.servers;
  if (!counts) return undefined;
  const servers = Object.entries(uids).map(([name, uid]) => ({ name, uid }));
  return Object.fromEntries(servers.map((one) => [one.name, countOnServer(counts, one)]));
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

export function scaledCount(before: number, { sign, number }: ScaleArgument): number {
  if (sign === '=') return number;
  return Math.max(0, sign === '+' ? before + number : before - number);
}
