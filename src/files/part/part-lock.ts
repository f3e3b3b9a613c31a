import { hash } from 'node:crypto';
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { FileStart } from '../../contract/exchange.ts';
import { CliError } from '../../errors/cli-error.ts';
import {
  breakLeftOver,
  forgetLock,
  giveLockBack,
  holderOf,
  isLeftOver,
  processOf,
  takeLock,
} from '../lock/lock-file.ts';

/** The size of the part, and the source of the rest: enough to verify and continue it. */
export interface PartNote extends FileStart {
  /** The hash of the bytes, in hex. */
  readonly sha256: string;
}

export type PartClaim = ReturnType<typeof lockPart>;

/** Far below the maximum age of a lock. */
const noteMs = 5000;

/** The right to write one part, until the process ends. Throws internal while another download has it. */
export function lockPart(part: string) {
  // A name that is short enough beside any part.
  const name = hash('sha256', basename(part)).slice(0, 16);
  const lock = join(dirname(part), `.stackops-${name}.lock`);
  const before = holderOf(lock);
  const noted = before && readNote(lock);
  if (before && isLeftOver(before)) breakLeftOver(lock);
  const mark = takeLock(lock);
  if (mark === undefined)
    throw new CliError('internal', `cannot write ${part}: another download of it is running${processOf(before)}`);
  const handle = openSync(lock, 'a');
  const write = (note: PartNote | undefined) => writeSync(handle, `${JSON.stringify(note ?? null)}\n`);
  if (noted) write(noted);
  let notedMs = Number.NEGATIVE_INFINITY;
  return {
    /** After an interrupted download: only then the part is known to be ours. */
    isTakenOver: before !== undefined,
    /** The last note of that download, if its source can be verified. */
    noted,
    /** Every few seconds, so that a killed download loses little. Other machines see by it that the process is alive. */
    note: (now: () => PartNote | undefined) => {
      if (performance.now() - notedMs < noteMs) return;
      write(now());
      notedMs = performance.now();
    },
    release: () => {
      closeSync(handle);
      try {
        giveLockBack(lock, mark);
      } catch {
        // The next download finds it left over.
      }
    },
    /** Ends the right and keeps the last note, or this one, for the next download. */
    keepForResume: (note?: PartNote) => {
      if (note) write(note);
      closeSync(handle);
      forgetLock(mark);
    },
  };
}

function readNote(lock: string): PartNote | undefined {
  const [, ...lines] = readFileSync(lock, 'utf8').trimEnd().split('\n');
  try {
    // The last line counts: an earlier one tells of fewer bytes, or of another file.
    const { size, validator, bytes, sha256 } = JSON.parse(lines.at(-1) ?? '') as Partial<PartNote>;
    if (typeof size !== 'number' || typeof validator !== 'string' || typeof sha256 !== 'string') return undefined;
    return typeof bytes === 'number' && bytes > 0 && bytes < size ? { size, validator, bytes, sha256 } : undefined;
  } catch {
    return undefined;
  }
}
