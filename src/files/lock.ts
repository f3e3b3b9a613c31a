import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  rmSync,
  type Stats,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { shellWord } from '../contract/values/text.ts';
import { CliError } from '../errors/cli-error.ts';
import { cannotWriteError, faultCode, faultReason, tryToWrite } from './file-fault.ts';
import { findOwnStartTime, mayBeAlive, ownHost, ownPid } from './identity.ts';
import type { PrivacyOptions } from './own-file.ts';
import { preparePrivateFolder } from './private-folder.ts';
import { createFile } from './replace-file.ts';

interface LockOptions extends Pick<PrivacyOptions, 'warn' | 'onExposed'> {
  readonly limits?: typeof defaultLimits;
}
/** Mean delay between two attempts to take a lock. With shorter delays a hundred processes slow down the holder. */
const pauseMs = 20;
/** Number of attempts to take a lock for each check of its holder: an attempt is cheap, and a check is not. */
const attemptsPerCheck = 5;
/** Waits: before a warning, for one holder, and for a local holder, longer because it is alive and may only be slow. */
const defaultLimits = { silentMs: 1000, timeoutMs: 10_000, localTimeoutMs: 60_000 };

/** By file, the last work of this process under its lock. Later work waits for that work and does not poll the lock. */
const pendingWork = new Map<string, Promise<unknown>>();

/** Runs `work` with exclusive access to the file. Throws `internal` if one holder keeps the lock for too long. */
export function withLock<T>(file: string, work: () => T | Promise<T>, options: LockOptions): Promise<T> {
  const earlierWork = pendingWork.get(file)?.catch(() => undefined) ?? Promise.resolve();
  const queuedWork = earlierWork.then(() => runLocked(file, work, options));
  pendingWork.set(file, queuedWork);
  return queuedWork;
}

async function runLocked<T>(file: string, work: () => T | Promise<T>, options: LockOptions): Promise<T> {
  preparePrivateFolder(dirname(file), options);
  const lockFile = `${file}.lock`;
  const mark = await waitForLock(lockFile, options).catch((error: unknown) => {
    throw cannotWriteError(lockFile, error);
  });
  try {
    return await work();
  } finally {
    // A lock that cannot be removed must not hide the result of the work.
    try {
      releaseLock(lockFile, mark);
    } catch (error) {
      options.warn(`cannot remove ${lockFile}: ${faultReason(error)}`);
    }
  }
}

async function waitForLock(lockFile: string, options: LockOptions): Promise<string> {
  const checkHolder = createHolderCheck(lockFile, options);
  for (let attempt = 0; ; attempt += 1) {
    const mark = takeLock(lockFile);
    if (mark !== undefined) return mark;
    if (attempt % attemptsPerCheck === 0) checkHolder();
    await pause(pauseMs * (0.5 + Math.random()));
  }
}

function createHolderCheck(lockFile: string, { warn, limits = defaultLimits }: LockOptions): () => void {
  const waitStartMs = performance.now();
  let holder: Holder | undefined;
  let holderSinceMs = waitStartMs;
  let hasWarned = false;
  return () => {
    const currentHolder = holderOf(lockFile);
    if (currentHolder?.mark !== holder?.mark) holderSinceMs = performance.now();
    holder = currentHolder;
    if (holder && isLeftOverLock(holder)) return breakLeftOverLock(lockFile);
    const timeoutMs = holder?.host === ownHost ? limits.localTimeoutMs : limits.timeoutMs;
    if (performance.now() - holderSinceMs > timeoutMs) throw lockBusyError(lockFile, holder, timeoutMs);
    if (hasWarned || performance.now() - waitStartMs <= limits.silentMs) return;
    hasWarned = true;
    warn(`waiting for another stackops${processText(holder)}, which holds ${lockFile}`);
  };
}

function lockBusyError(lockFile: string, holder: Holder | undefined, timeoutMs: number): CliError {
  const message = `${lockFile} is held by another stackops${processText(holder)}; waited ${timeoutMs / 1000} s`;
  return new CliError('internal', message, { hint: `if no other stackops is running: rm ${shellWord(lockFile)}` });
}

export type HeldLock = Exclude<ReturnType<typeof tryHoldLock>, string>;

/** Takes a lock for the whole run, or returns its holder's `processText` at once. Throws `internal` if not writable. */
export function tryHoldLock(file: string) {
  const lockFile = `${file}.lock`;
  return tryToWrite(lockFile, () => {
    preparePrivateFolder(dirname(file));
    const holder = holderOf(lockFile);
    if (holder && isLeftOverLock(holder)) breakLeftOverLock(lockFile);
    const mark = takeLock(lockFile);
    if (mark === undefined) return processText(holderOf(lockFile));
    // The caller renews the lock now and then, because other machines take an old lock for a left-over lock.
    return { renew: () => renewLock(lockFile), release: () => tryToWrite(lockFile, () => releaseLock(lockFile, mark)) };
  });
}

/** Returns the text of `processText` for the live holder of a file's lock; undefined if the lock is free. */
export function lockHolderText(file: string): string | undefined {
  const holder = holderOf(`${file}.lock`);
  return holder && !isLeftOverLock(holder) ? processText(holder) : undefined;
}

type Holder = NonNullable<ReturnType<typeof holderOf>>;

/** Maximum age of a lock whose process cannot be checked. An older lock is from a renamed or removed machine. */
const maxLockAgeMs = 600_000;
/** Maximum age of an empty lock file: a process that creates one writes its mark at once. */
const maxEmptyLockAgeMs = 1000;
/** Maximum age of a `.break` file. Removing a left-over lock takes no time, so a killed process left an older file. */
const maxBreakAgeMs = 2000;
/** Marks of the locks that this process holds. A lock with our process ID but without such a mark is left over. */
const ownMarks = new Set<string>();

/** Creates a lock file and returns its mark; undefined if the file exists already. Throws the system error. */
export function takeLock(lockFile: string): string | undefined {
  const startTime = findOwnStartTime();
  const mark = `${[ownPid, ownHost, ...(startTime ? [startTime] : []), crypto.randomUUID()].join(' ')}\n`;
  if (!tryCreateFile(lockFile, mark)) return undefined;
  ownMarks.add(mark);
  return mark;
}

/** Sets the time of a lock file to now, because other machines cannot see our process, only that time. Never throws. */
function renewLock(lockFile: string): void {
  try {
    utimesSync(lockFile, Date.now() / 1000, Date.now() / 1000);
  } catch {
    // Without a renewal the lock still holds on this machine, because its processes see that the holder is alive.
  }
}

/** Gives up a lock and leaves its file, so that the next process finds a left-over lock. */
export function abandonLock(mark: string): void {
  ownMarks.delete(mark);
}

/** Removes a lock file, unless another process has broken the lock meanwhile. Throws the system error. */
export function releaseLock(lockFile: string, mark: string): void {
  abandonLock(mark);
  if (holderOf(lockFile)?.mark === mark) rmSync(lockFile, { force: true });
}

/**
 * Returns the mark of a lock file (its unique first line), its parts and its age; undefined if the file is missing.
 * Throws the system error if the file cannot be read, and `internal` if it is not a regular file.
 */
export function holderOf(lockFile: string) {
  try {
    const { text, stats } = readLock(lockFile);
    const [mark = ''] = text.split(/(?<=\n)/);
    const [, pid, host, start] = /^(\d+) (\S+) (?:(\d+) )?\S+\n$/.exec(mark) ?? [];
    // A time in the future was written before the clock was set back, so it counts as old, too.
    const ageMs = Math.abs(Date.now() - stats.mtimeMs);
    return { mark, pid: pid === undefined ? undefined : Number(pid), host, start, ageMs };
  } catch (error) {
    if (faultCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function readLock(lockFile: string): { readonly text: string; readonly stats: Stats } {
  // Without O_NONBLOCK, opening a named pipe without a writer would wait.
  const handle = openSync(lockFile, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(handle);
    if (stats.isFile() || stats.isDirectory()) return { text: readFileSync(handle, 'utf8'), stats };
    throw new CliError('internal', `cannot use ${lockFile}: not a regular file`, { hint: `rm ${shellWord(lockFile)}` });
  } finally {
    closeSync(handle);
  }
}

/** True for a lock that nobody will release: its process is gone, or cannot be checked and the lock is too old. */
export function isLeftOverLock({ mark, pid, host, start, ageMs }: Holder): boolean {
  if (ownMarks.has(mark)) return false;
  if (mark === '') return ageMs > maxEmptyLockAgeMs;
  if (pid === undefined || host !== ownHost) return ageMs > maxLockAgeMs;
  if ((pid === ownPid && start === findOwnStartTime()) || !mayBeAlive(pid, start)) return true;
  return start === undefined && ageMs > maxLockAgeMs;
}

/** Checks again under a second lock; otherwise a slower process would remove the new lock of a faster process. */
export function breakLeftOverLock(lockFile: string): void {
  const breakFile = `${lockFile}.break`;
  if (!tryCreateFile(breakFile, '')) {
    if ((holderOf(breakFile)?.ageMs ?? 0) > maxBreakAgeMs) rmSync(breakFile, { force: true });
    return;
  }
  try {
    const holder = holderOf(lockFile);
    if (holder && isLeftOverLock(holder)) rmSync(lockFile, { force: true });
  } finally {
    rmSync(breakFile, { force: true });
  }
}

/** Returns ` (process 4711 on build-1)` for a message; empty if the process is unknown. */
export function processText(holder: Holder | undefined): string {
  return holder?.pid === undefined ? '' : ` (process ${holder.pid} on ${holder.host})`;
}

function tryCreateFile(file: string, text: string): boolean {
  const handle = createFile(file);
  if (handle === undefined) return false;
  try {
    writeFileSync(handle, text);
    return true;
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  } finally {
    closeSync(handle);
  }
}
