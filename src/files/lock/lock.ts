import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { shellWord } from '../../contract/values/shell-word.ts';
import { CliError } from '../../errors/cli-error.ts';
import { cannotWrite, faultReason } from '../file-fault.ts';
import { ownHost } from '../identity.ts';
import type { Secrecy } from '../own-file.ts';
import { preparePrivateFolder } from '../private-folder.ts';
import { breakLeftOver, giveLockBack, type Holder, holderOf, isLeftOver, processOf, takeLock } from './lock-file.ts';

interface LockOptions extends Pick<Secrecy, 'warn' | 'exposed'> {
  readonly limits?: typeof usualLimits;
}
/** Delay between attempts; more frequent attempts of a hundred processes would slow down the holder. */
const pauseMs = 20;
/** Trying the lock is cheap, reading its holder is not. */
const attemptsPerCheck = 5;
/** A long wait is reported. The wait for a holder on this machine is longer: it may only be slow. */
const usualLimits = { silentMs: 1000, timeoutMs: 10_000, localTimeoutMs: 60_000 };

/** The last work of this process under each lock: only a lock of another process is polled. */
const turns = new Map<string, Promise<unknown>>();

/** Runs `work` with exclusive access to the file. Throws internal if one holder keeps the lock for too long. */
export function withLock<T>(file: string, work: () => T | Promise<T>, options: LockOptions): Promise<T> {
  const turn = (turns.get(file) ?? Promise.resolve()).then(() => lockedWork(file, work, options));
  turns.set(
    file,
    turn.catch(() => undefined),
  );
  return turn;
}

async function lockedWork<T>(file: string, work: () => T | Promise<T>, options: LockOptions): Promise<T> {
  preparePrivateFolder(dirname(file), options);
  const lock = `${file}.lock`;
  const mark = await waitForLock(lock, options).catch((error: unknown) => {
    throw cannotWrite(lock, error);
  });
  try {
    return await work();
  } finally {
    // The work is done even if the lock cannot be removed.
    try {
      giveLockBack(lock, mark);
    } catch (error) {
      options.warn(`cannot remove ${lock}: ${faultReason(error)}`);
    }
  }
}

async function waitForLock(lock: string, options: LockOptions): Promise<string> {
  const checkHolder = holderCheck(lock, options);
  for (let attempt = 0; ; attempt += 1) {
    const mark = takeLock(lock);
    if (mark !== undefined) return mark;
    if (attempt % attemptsPerCheck === 0) checkHolder();
    await pause(pauseMs * (0.5 + Math.random()));
  }
}

/** Breaks abandoned locks, names the holder that is waited for, and throws internal when one holder keeps the lock. */
function holderCheck(lock: string, { warn, limits = usualLimits }: LockOptions): () => void {
  const beganMs = performance.now();
  let holder: Holder | undefined;
  let sinceMs = beganMs;
  let hasWarned = false;
  return () => {
    const now = holderOf(lock);
    if (now?.mark !== holder?.mark) sinceMs = performance.now();
    holder = now;
    if (holder && isLeftOver(holder)) return breakLeftOver(lock);
    const timeoutMs = holder?.host === ownHost ? limits.localTimeoutMs : limits.timeoutMs;
    if (performance.now() - sinceMs > timeoutMs) throw busy(lock, holder, timeoutMs);
    if (hasWarned || performance.now() - beganMs <= limits.silentMs) return;
    hasWarned = true;
    warn(`waiting for another stackops${processOf(holder)}, which holds ${lock}`);
  };
}

function busy(lock: string, holder: Holder | undefined, timeoutMs: number): CliError {
  return new CliError(
    'internal',
    `${lock} is held by another stackops${processOf(holder)}; waited ${timeoutMs / 1000} s`,
    { hint: `if no other stackops is running: rm ${shellWord(lock)}` },
  );
}
