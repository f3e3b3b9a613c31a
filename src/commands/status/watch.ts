import type { Context } from '../../contract/command.ts';
import { shortHash } from '../../contract/values/text.ts';
import type { RateLimit, WatchedRead, WatchedState } from '../../contract/watch.ts';
import { CliError } from '../../errors/cli-error.ts';
import { isInProgress } from '../../resources/deployment.ts';
import { stackStatuses, stacks } from '../../resources/stack.ts';
import { backoffMs, deployingIntervalMs, isFinalError, watchPace } from '../deployment/watching.ts';
import {
  type ChooseStacks,
  emptySnapshot,
  readParts,
  type StackChoice,
  type StatusOptions,
  type StatusSnapshot,
  type StatusTarget,
  sortProblemsFirst,
  stackStatusOf,
  throwIfAllFailed,
} from './read.ts';
import { sectionsLimitMs } from './read-sections.ts';
import { type StackStatus, stackTitle } from './record.ts';
import { isSection, partsFor, type StatusPart, statusParts } from './sections.ts';
import { statusLines, unreadLines } from './show.ts';

type WatchOptions = Omit<StatusOptions, 'deadline'> & Pick<Pace, 'everyMs'>;

interface WatchedStack {
  readonly target: StatusTarget;
  readonly snapshot: StatusSnapshot;
  /** The time of the last read of each part, successful or not. */
  readonly times: ReadTimes;
  readonly lastParts: readonly StatusPart[];
}

type WatchedStacks = readonly WatchedStack[];

const unreadMember = { snapshot: emptySnapshot, times: new Map(), lastParts: [] };

/** Returns the watch of one stack. Each part of the stack is read when it is due. */
export function watchStack(context: Context, uid: string, options: WatchOptions): WatchedRead<StackStatus> {
  let member: WatchedStack = { target: { uid }, ...unreadMember };
  return {
    read: async (stop) => {
      const { snapshot: before } = member;
      const deadline = context.deadline(sectionsLimitMs);
      member = await readDueParts(context, member, { peers: [member], options, stop, deadline });
      const { status, failure } = stackStatusOf(context, uid, member.snapshot, options);
      const finalError = before === emptySnapshot ? failure : commonRefusal(before, member);
      if (finalError) throw finalError;
      // Only the newest deployments are shown, so a deployment that is no longer shown has not changed.
      const states = statusLines(status).map((line) => ({ ...line, isPassing: line.section === 'deployment' }));
      // The errors are notes, because the end of a long screen may not be shown.
      return { value: { ...status, errors: [] }, states, notes: unreadLines([status]) };
    },
    msUntilDue: () => nextReadMs(context, [member], options) - context.elapsed(),
    pace: () => watchPace(context, options.everyMs),
  };
}

function commonRefusal(before: StatusSnapshot, { lastParts, snapshot }: WatchedStack): CliError | undefined {
  // If everything that could be read before is refused now, the token is invalid or the stack is gone.
  const readableParts = lastParts.filter((part) => isSection(part) && before.goodAt.has(part));
  const refusals = readableParts.flatMap((part) => snapshot.errors.get(part) ?? []).filter(isFinalError);
  return refusals.length === readableParts.length ? refusals[0] : undefined;
}

/** Returns the watch of several stacks. It reads their list, and the parts of each that are due or may have changed. */
export function watchStacks(context: Context, chooseStacks: ChooseStacks, options: WatchOptions) {
  let list: StackList | undefined;
  let members: WatchedStacks = [];
  // A service that does not list stacks is not asked again.
  const listDueMs = ({ rows, readMs }: StackList) =>
    rows ? readMs + backoffMs(options.everyMs, context.rateLimit()) : Number.POSITIVE_INFINITY;
  return {
    read: async (stop: AbortSignal) => {
      if (!list || listDueMs(list) <= context.elapsed()) list = await readList(context, chooseStacks, stop, list);
      const peers = membersOf(list, members);
      const before = members;
      members = await Promise.all(peers.map((member) => readDueParts(context, member, { peers, options, stop })));
      const reads = members.map(({ target, snapshot }) => stackStatusOf(context, target.uid, snapshot, options));
      if (before.length === 0) throwIfAllFailed(reads);
      const errors = members.flatMap(({ snapshot }) => [...snapshot.errors.values()]);
      const tokenError = errors.find(({ kind }) => kind === 'unauthenticated');
      if (tokenError) throw tokenError;
      const value = sortProblemsFirst(reads);
      return { value, states: value.flatMap(watchedStatesOf) };
    },
    msUntilDue: () => (list ? Math.min(listDueMs(list), nextReadMs(context, members, options)) - context.elapsed() : 0),
    pace: () => watchPace(context, options.everyMs),
  };
}

interface StackList extends StackChoice {
  readonly targets: readonly StatusTarget[];
  readonly error: CliError | undefined;
  /** The time of the last successful read of the list. */
  readonly at: Date;
  readonly readMs: number;
}

async function readList(context: Context, chooseStacks: ChooseStacks, signal: AbortSignal, before?: StackList) {
  const readMs = context.elapsed();
  try {
    const choice = before ? { ...before, rows: await context.call(stacks.list, {}, { signal }) } : await chooseStacks();
    return { ...choice, targets: choice.chooseFrom(choice.rows), error: undefined, at: context.now(), readMs };
  } catch (error) {
    if (!before || !(error instanceof CliError) || isFinalError(error)) throw error;
    return { ...before, error, readMs };
  }
}

function membersOf({ targets, error, at }: StackList, before: WatchedStacks): WatchedStacks {
  return targets.map((target) => {
    const { row } = target;
    const member = before.find((one) => one.target.uid === target.uid) ?? { target, ...unreadMember };
    if (!row) return { ...member, target };
    const { found, goodAt } = member.snapshot;
    const times = new Map(member.times);
    // If the row of the stack has changed, its deployments are read at once.
    if (found.stack?.status !== row.status || found.stack.is_busy !== row.is_busy) times.delete('deployment');
    const errors = new Map(member.snapshot.errors);
    errors.delete('stack');
    if (error) errors.set('stack', error);
    const snapshot = { found: { ...found, stack: row }, errors, goodAt: new Map([...goodAt, ['stack', at] as const]) };
    return { ...member, target, times, snapshot };
  });
}

interface DueReadOptions {
  readonly peers: WatchedStacks;
  readonly options: WatchOptions;
  readonly stop: AbortSignal;
  readonly deadline?: AbortSignal;
}

async function readDueParts(context: Context, member: WatchedStack, { peers, options, ...signals }: DueReadOptions) {
  const { target, snapshot: before } = member;
  const nowMs = context.elapsed();
  const due = dueParts(...scheduleOf(context, member, peers, options), nowMs);
  const times = new Map([...member.times, ...due.map((part) => [part, nowMs] as const)]);
  const snapshot = await readParts(context, target, { parts: due, before, ...signals });
  return { target, times, lastParts: due, snapshot };
}

function nextReadMs(context: Context, peers: WatchedStacks, options: WatchOptions): number {
  return Math.min(...peers.map((member) => nextDueMs(...scheduleOf(context, member, peers, options))));
}

function scheduleOf(context: Context, member: WatchedStack, peers: WatchedStacks, options: WatchOptions) {
  const { target, times, snapshot } = member;
  const { everyMs, only } = options;
  // A row from the list of stacks replaces reads of the stack and of its actions.
  const parts = partsFor(only).filter((part) => !target.row || isSection(part));
  const isOneDeploying = isDeploying(snapshot);
  const unavailable = [...snapshot.errors].filter(([, { kind }]) => kind === 'unavailable');
  const failing = new Set(unavailable.map(([part]) => part));
  const deployingCount = peers.filter((peer) => isDeploying(peer.snapshot)).length;
  const shares = isOneDeploying ? deployingCount : peers.length * only.length;
  const pace: Pace = { everyMs, isDeploying: isOneDeploying, failing, rateLimit: context.rateLimit(), shares };
  return [parts, times, pace] as const;
}

const deployingStatuses = [stackStatuses.indexOf('queued'), stackStatuses.indexOf('deploying')];

function isDeploying({ found: { stack, deployment } }: StatusSnapshot): boolean {
  return Boolean(stack && deployingStatuses.includes(stack.status)) || (deployment ?? []).some(isInProgress);
}

function watchedStatesOf(status: StackStatus): readonly WatchedState[] {
  const { live, problems, busy, errors } = status;
  const name = stackTitle(status);
  const commit = live?.git_hash ? `, commit ${shortHash(live.git_hash)}` : '';
  const unreadTexts = errors.map(({ section, message }) => `${section}: ${message}`);
  const stateOf = (section: string, texts: readonly string[]) =>
    texts.length > 0 ? [{ section, name, state: texts.join(', ') }] : [];
  return [
    ...stateOf('stack', [status.status ?? 'unknown']),
    ...stateOf('live', live ? [`deployment ${live.id ?? '-'}${commit}`] : []),
    ...stateOf('problems', problems),
    ...stateOf('busy', busy),
    ...stateOf('unreadable', unreadTexts),
  ];
}

export interface Pace {
  readonly everyMs: number;
  readonly isDeploying: boolean;
  /** Parts that an outage made unreadable. They are read at the usual pace even if they are slow. */
  readonly failing: ReadonlySet<StatusPart>;
  readonly rateLimit: RateLimit | undefined;
  /** The number of parts or deploying stacks among which the allowed requests are divided. */
  readonly shares: number;
}

/** The time of the last read of each part, in milliseconds of `elapsed`. */
type ReadTimes = ReadonlyMap<StatusPart, number>;

const slowIntervalMs = 60_000;
/** Time for each shared request: about 1,800 an hour. The rest of the allowed 3,000 is left to other programs. */
const msPerRequest = 2_000;

export function dueParts(parts: readonly StatusPart[], times: ReadTimes, pace: Pace, nowMs: number) {
  return parts.filter((part) => dueMsOf(part, times, pace) <= nowMs);
}

/** Returns the time at which the next part is due, in milliseconds of `elapsed`. */
export function nextDueMs(parts: readonly StatusPart[], times: ReadTimes, pace: Pace): number {
  return Math.min(...parts.map((part) => dueMsOf(part, times, pace)));
}

function dueMsOf(part: StatusPart, times: ReadTimes, pace: Pace): number {
  const lastReadMs = times.get(part);
  if (lastReadMs === undefined) return 0;
  const sharedIntervalMs = Math.max(0, pace.shares - 1) * msPerRequest;
  return lastReadMs + backoffMs(Math.max(unsharedIntervalMs(part, pace), sharedIntervalMs), pace.rateLimit);
}

function unsharedIntervalMs(part: StatusPart, { everyMs, isDeploying, failing }: Pace): number {
  const partPace = part === 'stack' ? undefined : statusParts[part].pace;
  if (partPace === 'slow' && !failing.has(part)) return Math.max(slowIntervalMs, everyMs);
  if (partPace === 'deployed' && isDeploying) return Math.min(deployingIntervalMs, everyMs);
  return everyMs;
}
