import type { RateLimit } from '../../contract/watch.ts';
import { backoffMs, deployingMs } from '../deployment/watching.ts';
import { type StatusPart, statusParts } from './sections.ts';

export interface Pace {
  /** `--every`, in milliseconds. */
  readonly everyMs: number;
  readonly isDeploying: boolean;
  /** Parts that are read again as soon as an outage may be over. */
  readonly failing: ReadonlySet<StatusPart>;
  readonly rateLimit: RateLimit | undefined;
  /** How many parts of how many stacks share the requests. */
  readonly shares: number;
}

/** When parts were last read, in milliseconds of `elapsed`. */
export type ReadTimes = ReadonlyMap<StatusPart, number>;

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

/** When the next part is due, in milliseconds of `elapsed`. */
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
