import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync, utimesSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Problem } from '../../problems/problem.ts';
import {
  breakLeftOver,
  forgetLock,
  giveLockBack,
  type Holder,
  holderOf,
  isLeftOver,
  processOf,
  takeLock,
} from '../lock/lock-file.ts';

/** What a later download needs to continue a part: the full size and the version of the file. */
export interface PartOrigin {
  readonly size: number;
  readonly validator: string;
}

/** The exclusive right to write one part; it ends with the process. `note` and `refresh` throw the system error. */
export interface PartClaim {
  /** True after an interrupted download: only then the part is known to be ours. */
  readonly isTakenOver: boolean;
  /** The source of that part, if it was recorded. */
  readonly origin: PartOrigin | undefined;
  /** Undefined when the source cannot be verified later. */
  note(origin: PartOrigin | undefined): void;
  /** Shows other machines, which cannot see the process, that it is alive. */
  refresh(): void;
  release(): void;
  /** Ends the right and keeps the recorded source for the next download. */
  leaveBehind(): void;
}

/** Throws internal while another download writes the part. The lock lies beside it, under a name that is short enough. */
export function claimPart(part: string): PartClaim {
  const name = createHash('sha256').update(basename(part)).digest('hex').slice(0, 16);
  const lock = join(dirname(part), `.stackops-${name}.lock`);
  const before = holderOf(lock);
  const origin = before && readOrigin(lock);
  if (before && isLeftOver(before)) breakLeftOver(lock);
  const mark = takeLock(lock);
  if (mark === undefined) throw underWay(part, before);
  return {
    isTakenOver: before !== undefined,
    origin,
    note: (noted) => appendFileSync(lock, `${JSON.stringify(noted ?? null)}\n`),
    refresh: () => utimesSync(lock, new Date(), new Date()),
    release: () => giveUp(lock, mark),
    leaveBehind: () => forgetLock(mark),
  };
}

/** The next download finds a lock that could not be removed. */
function giveUp(lock: string, mark: string): void {
  try {
    giveLockBack(lock, mark);
  } catch {
    // It is left over from now on.
  }
}

function underWay(part: string, holder: Holder | undefined): Problem {
  return new Problem('internal', `cannot write ${part}: another download of it is running${processOf(holder)}`);
}

/** The last line counts: a download that restarted recorded another file. */
function readOrigin(lock: string): PartOrigin | undefined {
  const [, ...lines] = readFileSync(lock, 'utf8').trimEnd().split('\n');
  try {
    const { size, validator } = JSON.parse(lines.at(-1) ?? '') as Partial<PartOrigin>;
    return typeof size === 'number' && typeof validator === 'string' ? { size, validator } : undefined;
  } catch {
    return undefined;
  }
}
