import type { Context } from '../../../contract/command.ts';
import type { Watched } from '../../../contract/watch.ts';
import { Problem } from '../../../problems/problem.ts';
import { type StackRow, stacks } from '../../../resources/stack.ts';
import { isFinal, sparedMs, watchPace } from '../../watching.ts';
import { stackStatusOf } from '../read.ts';
import type { StackStatus } from '../record.ts';
import { readParts, type Snapshot, type StatusPart, type StatusTarget, statusParts, unread } from '../sections.ts';
import { failIfAllFailed, type StackChoice } from '../stacks.ts';
import { problemsFirst } from '../verdict.ts';
import { dueParts, failingParts, nextDueMs, type Pace } from './schedule.ts';
import type { WatchOptions } from './stack.ts';
import { fleetStates, isDeploying } from './states.ts';

/** One of the stacks, as it was last read. */
interface Member {
  readonly target: StatusTarget;
  readonly snapshot: Snapshot;
  readonly times: ReadonlyMap<StatusPart, number>;
}

/** Several stacks: their list, and of each the parts that are due or may have changed with its row in the list. */
export function watchStacks(
  context: Context,
  choice: StackChoice,
  options: WatchOptions,
): Watched<readonly StackStatus[]> {
  const list = watchList(context, choice, options);
  let members: readonly Member[] = [];
  const paceOf = ({ snapshot }: Member): Pace => {
    const deploying = members.filter((member) => isDeploying(member.snapshot.found)).length;
    const isDeployed = isDeploying(snapshot.found);
    const shares = isDeployed ? deploying : members.length * options.only.length;
    return {
      everyMs: options.everyMs,
      isDeploying: isDeployed,
      failing: failingParts(snapshot),
      slowdown: context.slowdown(),
      shares,
    };
  };
  const readMember = async (member: Member, stop: AbortSignal): Promise<Member> => {
    const { target, snapshot: before } = member;
    const nowMs = context.elapsed();
    const due = dueParts(readableParts(target, options), member.times, paceOf(member), nowMs);
    const times = new Map([...member.times, ...due.map((part) => [part, nowMs] as const)]);
    return { target, times, snapshot: await readParts(context, target, due, { before, stop }) };
  };
  return {
    read: async (stop) => {
      const isFirst = members.length === 0;
      const { targets, error, at } = await list.read(stop);
      members = targets.map((target) => listed(target, members, { error, at }));
      members = await Promise.all(members.map((member) => readMember(member, stop)));
      const read = members.map(({ target, snapshot }) =>
        stackStatusOf(target.uid, snapshot, { ...options, now: context.now() }),
      );
      if (isFirst) failIfAllFailed(read);
      const refused = members.flatMap(({ snapshot }) => [...snapshot.errors.values()]).find(isOfToken);
      if (refused) throw refused;
      const value = problemsFirst(read.map(({ status }) => status));
      return { value, states: fleetStates(value) };
    },
    pauseMs: () => {
      const next = members.map((member) =>
        nextDueMs(readableParts(member.target, options), member.times, paceOf(member)),
      );
      return Math.min(list.dueMs(), ...next) - context.elapsed();
    },
    pace: () => watchPace(context, options.everyMs),
  };
}

function isOfToken({ kind }: Problem): boolean {
  return kind === 'unauthenticated';
}

/** The list shows what else would be read of a stack and its actions. */
function readableParts({ row }: StatusTarget, { only }: WatchOptions): readonly StatusPart[] {
  return statusParts(only).filter((part) => !row || (part !== 'stack' && part !== 'actions'));
}

interface ListRead {
  readonly targets: readonly StatusTarget[];
  /** Why the list could not be read the last time. */
  readonly error: Problem | undefined;
  /** When it was last read well. */
  readonly at: Date;
}

/** The list of stacks, read when it is due. One that fails keeps what was read before, unless the service refuses it. */
function watchList(context: Context, { list, among }: StackChoice, options: WatchOptions) {
  let last: ListRead | undefined;
  let rows: readonly StackRow[] | undefined;
  let readMs = 0;
  const dueMs = () => {
    // Where no stacks are listed, there is nothing to read again.
    if (last && !rows) return Number.POSITIVE_INFINITY;
    return readMs + sparedMs(options.everyMs, context.slowdown());
  };
  const readAgain = async (stop: AbortSignal, before: ListRead): Promise<ListRead> => {
    try {
      rows = await context.call(stacks.list, {}, { signal: stop });
      return { targets: among(rows), error: undefined, at: context.now() };
    } catch (error) {
      if (!(error instanceof Problem) || isFinal(error)) throw error;
      return { ...before, error };
    }
  };
  return {
    dueMs,
    read: async (stop: AbortSignal): Promise<ListRead> => {
      const nowMs = context.elapsed();
      if (last && dueMs() > nowMs) return last;
      readMs = nowMs;
      if (last) {
        last = await readAgain(stop, last);
      } else {
        rows = await list();
        last = { targets: among(rows), error: undefined, at: context.now() };
      }
      return last;
    },
  };
}

/** A stack as the list shows it. One whose status has changed there has its deployments read at once. */
function listed(target: StatusTarget, before: readonly Member[], { error, at }: Omit<ListRead, 'targets'>): Member {
  const { row } = target;
  const known = before.find((member) => member.target.uid === target.uid) ?? { snapshot: unread, times: new Map() };
  if (!row) return { ...known, target };
  const { found, errors, goodAt } = known.snapshot;
  const others = [...errors].filter(([part]) => part !== 'stack');
  const isMoved = found.stack?.status !== row.status || found.stack.is_busy !== row.is_busy;
  return {
    target,
    times: isMoved ? new Map([...known.times].filter(([part]) => part !== 'deployment')) : known.times,
    snapshot: {
      found: { ...found, stack: row },
      errors: new Map(error ? [...others, ['stack', error]] : others),
      goodAt: new Map([...goodAt, ['stack', at]]),
    },
  };
}
