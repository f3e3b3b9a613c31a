import type { Slowdown } from '../../../contract/watch.ts';
import { deployingMs, sparedMs } from '../../watching.ts';
import type { Snapshot, StatusPart } from '../sections.ts';

/** What decides how often the parts of a stack are read. */
export interface Pace {
  /** `--every`, in milliseconds. */
  readonly everyMs: number;
  readonly isDeploying: boolean;
  /** Parts that are read again as soon as an outage may be over. */
  readonly failing: ReadonlySet<StatusPart>;
  /** Whether the service wants fewer requests. */
  readonly slowdown: Slowdown | undefined;
  /** How many parts of how many stacks share the requests. */
  readonly shares: number;
}

/** When parts were last read, in milliseconds of `elapsed`. */
export type ReadTimes = ReadonlyMap<StatusPart, number>;

const slowMs = 60_000;
/** Parts that change seldom, or take several pages. */
const slow: readonly StatusPart[] = ['servers', 'backups', 'pending'];
/** Parts that a deployment changes. */
const deployed: readonly StatusPart[] = ['deployment', 'variants'];
/** Leaves most of 3,000 requests an hour to others. */
const requestMs = 2_000;

/** The parts that could not be read, where another read may. */
export function failingParts({ errors }: Snapshot): ReadonlySet<StatusPart> {
  return new Set([...errors].filter(([, { kind }]) => kind === 'unavailable').map(([part]) => part));
}

/** The parts that are to be read now. */
export function dueParts(
  wanted: readonly StatusPart[],
  times: ReadTimes,
  pace: Pace,
  nowMs: number,
): readonly StatusPart[] {
  return wanted.filter((part) => dueMs(part, times, pace) <= nowMs);
}

/** When the next part is due, in milliseconds of `elapsed`. */
export function nextDueMs(wanted: readonly StatusPart[], times: ReadTimes, pace: Pace): number {
  return Math.min(...wanted.map((part) => dueMs(part, times, pace)));
}

function dueMs(part: StatusPart, times: ReadTimes, pace: Pace): number {
  const before = times.get(part);
  return before === undefined ? 0 : before + periodMs(part, pace);
}

function periodMs(part: StatusPart, pace: Pace): number {
  const leastMs = Math.max(0, pace.shares - 1) * requestMs;
  return sparedMs(Math.max(unsharedMs(part, pace), leastMs), pace.slowdown);
}

function unsharedMs(part: StatusPart, pace: Pace): number {
  if (slow.includes(part) && !pace.failing.has(part)) return Math.max(slowMs, pace.everyMs);
  if (pace.isDeploying && deployed.includes(part)) return Math.min(deployingMs, pace.everyMs);
  return pace.everyMs;
}
