import type { Context } from '../../contract/command.ts';
import { shortHash } from '../../contract/values/text.ts';
import type { RateLimit, Watched, WatchedState } from '../../contract/watch.ts';
import { CliError } from '../../errors/cli-error.ts';
import { isInProgress } from '../../resources/deployment.ts';
import { stackStatuses, stacks } from '../../resources/stack.ts';
import { backoffMs, deployingMs, isFinal, watchPace } from '../deployment/watching.ts';
import {
  emptySnapshot,
  readParts,
  type Snapshot,
  type StatusOptions,
  type StatusTarget,
  stackStatusOf,
} from './read.ts';
import { type StackStatus, stackTitle } from './record.ts';
import { sectionsLimitMs } from './section-reader.ts';
import { type Found, isSection, partsFor, type StatusPart, statusParts } from './sections.ts';
import { statusLines, unreadLines } from './show.ts';
import { type ChooseStacks, errorsFirst, failIfAllFailed, type StackChoice } from './stacks.ts';

type WatchOptions = Omit<StatusOptions, 'deadline'> & Pick<Pace, 'everyMs'>;

interface Member {
  readonly target: StatusTarget;
  readonly snapshot: Snapshot;
  /** The time of the last read of each part, good or not. */
  readonly times: ReadTimes;
  /** The parts of the last read. */
  readonly due: readonly StatusPart[];
}

const notRead = { snapshot: emptySnapshot, times: new Map(), due: [] };

/** One stack, of which each part is read when it is due. */
export function watchStack(context: Context, uid: string, options: WatchOptions): Watched<StackStatus> {
  let member: Member = { target: { uid }, ...notRead };
  return {
    read: async (stop) => {
      const { snapshot: before } = member;
      const deadline = context.deadline(sectionsLimitMs);
      member = await readDue(context, member, { all: [member], options, stop, deadline });
      const { status, failure } = stackStatusOf(uid, member.snapshot, { ...options, now: context.now() });
      const end = before === emptySnapshot ? failure : refusalOf(before, member);
      if (end) throw end;
      // Only the newest deployments are shown, so one that leaves the list has not changed.
      const states = statusLines(status).map(({ section = '', name = '', state = '' }) => ({
        section,
        name,
        state,
        isPassing: section === 'deployment',
      }));
      // The end of a long screen may not be shown, but its notes are.
      return { value: { ...status, errors: [] }, states, notes: unreadLines([status]) };
    },
    pauseMs: () => nextReadMs(context, [member], options) - context.elapsed(),
    pace: () => watchPace(context, options.everyMs),
  };
}

function refusalOf(before: Snapshot, { due, snapshot }: Member): CliError | undefined {
  // The token or the stack is gone if everything that could be read before is refused now.
  const readable = due.filter((part) => isSection(part) && before.goodAt.has(part));
  const refusals = readable.flatMap((part) => snapshot.errors.get(part) ?? []).filter(isFinal);
  return refusals.length === readable.length ? refusals[0] : undefined;
}

/** Several stacks: their list, and of each the parts that are due or may have changed with its row in the list. */
export function watchStacks(
  context: Context,
  choose: ChooseStacks,
  options: WatchOptions,
): Watched<readonly StackStatus[]> {
  let last: { readonly list: StackList; readonly members: readonly Member[] } | undefined;
  return {
    read: async (stop) => {
      const list = await readList(context, choose, last?.list, { options, stop });
      const all = list.targets.map((target) => asListed(target, last?.members ?? [], list));
      const members = await Promise.all(all.map((member) => readDue(context, member, { all, options, stop })));
      const read = members.map(({ target, snapshot }) =>
        stackStatusOf(target.uid, snapshot, { ...options, now: context.now() }),
      );
      if (!last?.members.length) failIfAllFailed(read);
      last = { list, members };
      const errors = members.flatMap(({ snapshot }) => [...snapshot.errors.values()]);
      const refused = errors.find(({ kind }) => kind === 'unauthenticated');
      if (refused) throw refused;
      const value = errorsFirst(read);
      return { value, states: value.flatMap(rowStates) };
    },
    pauseMs: () => {
      if (!last) return 0;
      const { list, members } = last;
      return Math.min(listDueMs(context, list, options), nextReadMs(context, members, options)) - context.elapsed();
    },
    pace: () => watchPace(context, options.everyMs),
  };
}

interface StackList extends StackChoice {
  readonly targets: readonly StatusTarget[];
  /** The error of the last read, if it failed. */
  readonly error: CliError | undefined;
  /** The time of the last good read. */
  readonly at: Date;
  readonly readMs: number;
}

function listDueMs(context: Context, { rows, readMs }: StackList, { everyMs }: WatchOptions): number {
  // A service that lists no stacks has nothing to read again.
  return rows ? readMs + backoffMs(everyMs, context.rateLimit()) : Number.POSITIVE_INFINITY;
}

async function readList(
  context: Context,
  choose: ChooseStacks,
  before: StackList | undefined,
  { options, stop }: Pick<DueReading, 'options' | 'stop'>,
): Promise<StackList> {
  const readMs = context.elapsed();
  if (before && listDueMs(context, before, options) > readMs) return before;
  try {
    const rows = before && (await context.call(stacks.list, {}, { signal: stop }));
    const choice = before ? { rows, among: before.among } : await choose();
    return { ...choice, targets: choice.among(choice.rows), error: undefined, at: context.now(), readMs };
  } catch (error) {
    if (!before || !(error instanceof CliError) || isFinal(error)) throw error;
    return { ...before, error, readMs };
  }
}

function asListed(target: StatusTarget, before: readonly Member[], { error, at }: StackList): Member {
  const { row } = target;
  const known = before.find((member) => member.target.uid === target.uid) ?? { target, ...notRead };
  if (!row) return { ...known, target };
  const { found, errors, goodAt } = known.snapshot;
  const others = [...errors].filter(([part]) => part !== 'stack');
  // The deployments of a stack that moved are read at once.
  const isMoved = found.stack?.status !== row.status || found.stack.is_busy !== row.is_busy;
  return {
    ...known,
    target,
    times: isMoved ? new Map([...known.times].filter(([part]) => part !== 'deployment')) : known.times,
    snapshot: {
      found: { ...found, stack: row },
      errors: new Map(error ? [...others, ['stack', error]] : others),
      goodAt: new Map([...goodAt, ['stack', at]]),
    },
  };
}

interface DueReading {
  /** The stacks that share the requests. */
  readonly all: readonly Member[];
  readonly options: WatchOptions;
  readonly stop: AbortSignal;
  readonly deadline?: AbortSignal;
}

async function readDue(context: Context, member: Member, { all, options, ...limits }: DueReading): Promise<Member> {
  const { target, snapshot: before } = member;
  const nowMs = context.elapsed();
  const due = dueParts(readableParts(target, options), member.times, paceOf(context, member, { all, options }), nowMs);
  const times = new Map([...member.times, ...due.map((part) => [part, nowMs] as const)]);
  return { target, times, due, snapshot: await readParts(context, target, due, { before, ...limits }) };
}

function nextReadMs(context: Context, all: readonly Member[], options: WatchOptions): number {
  const next = all.map((member) =>
    nextDueMs(readableParts(member.target, options), member.times, paceOf(context, member, { all, options })),
  );
  return Math.min(...next);
}

function readableParts({ row }: StatusTarget, { only }: WatchOptions): readonly StatusPart[] {
  // A row from the list of stacks replaces reads of the stack and of its actions.
  return partsFor(only).filter((part) => !row || isSection(part));
}

function paceOf(
  context: Context,
  { snapshot: { found, errors } }: Member,
  { all, options: { everyMs, only } }: Pick<DueReading, 'all' | 'options'>,
): Pace {
  const deploying = all.filter((member) => isDeploying(member.snapshot.found)).length;
  const failing = new Set([...errors].filter(([, { kind }]) => kind === 'unavailable').map(([part]) => part));
  const shares = isDeploying(found) ? deploying : all.length * only.length;
  return { everyMs, isDeploying: isDeploying(found), failing, rateLimit: context.rateLimit(), shares };
}

const deployingStatuses = [stackStatuses.indexOf('queued'), stackStatuses.indexOf('deploying')];

function isDeploying({ stack, deployment }: Found): boolean {
  return Boolean(stack && deployingStatuses.includes(stack.status)) || (deployment ?? []).some(isInProgress);
}

function rowStates(status: StackStatus): readonly WatchedState[] {
  const { live, problems, busy, errors } = status;
  const name = stackTitle(status);
  const commit = live?.git_hash ? `, commit ${shortHash(live.git_hash)}` : '';
  const failed = errors.map(({ section, message }) => `${section}: ${message}`);
  const line = (section: string, texts: readonly string[]) =>
    texts.length > 0 ? [{ section, name, state: texts.join(', ') }] : [];
  return [
    ...line('stack', [status.status ?? 'unknown']),
    ...line('live', live ? [`deployment ${live.id ?? '-'}${commit}`] : []),
    ...line('problems', problems),
    ...line('busy', busy),
    ...line('unreadable', failed),
  ];
}

export interface Pace {
  /** `--every`, in milliseconds. */
  readonly everyMs: number;
  readonly isDeploying: boolean;
  /** Parts that are read again as soon as an outage may be over. */
  readonly failing: ReadonlySet<StatusPart>;
  readonly rateLimit: RateLimit | undefined;
  /** The number of parts, of all stacks, that share the requests. */
  readonly shares: number;
}

/** The time of the last read of parts, in milliseconds of `elapsed`. */
type ReadTimes = ReadonlyMap<StatusPart, number>;

const slowMs = 60_000;
/** Leaves most of 3,000 requests an hour to others. */
const requestMs = 2_000;

export function dueParts(
  wanted: readonly StatusPart[],
  times: ReadTimes,
  pace: Pace,
  nowMs: number,
): readonly StatusPart[] {
  return wanted.filter((part) => dueMs(part, times, pace) <= nowMs);
}

/** The time at which the next part is due, in milliseconds of `elapsed`. */
export function nextDueMs(wanted: readonly StatusPart[], times: ReadTimes, pace: Pace): number {
  return Math.min(...wanted.map((part) => dueMs(part, times, pace)));
}

function dueMs(part: StatusPart, times: ReadTimes, pace: Pace): number {
  const before = times.get(part);
  if (before === undefined) return 0;
  const leastMs = Math.max(0, pace.shares - 1) * requestMs;
  return before + backoffMs(Math.max(unsharedMs(part, pace), leastMs), pace.rateLimit);
}

function unsharedMs(part: StatusPart, { everyMs, isDeploying, failing }: Pace): number {
  const pace = part === 'stack' ? undefined : statusParts[part].pace;
  if (pace === 'slow' && !failing.has(part)) return Math.max(slowMs, everyMs);
  if (pace === 'deployed' && isDeploying) return Math.min(deployingMs, everyMs);
  return everyMs;
}
