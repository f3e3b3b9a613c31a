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
import { mayBeAlive, ownHost, ownPid, ownStartTime } from './identity.ts';
import type { PrivacyOptions } from './own-file.ts';
import { preparePrivateFolder } from './private-folder.ts';
import { createFile } from './replace-file.ts';

interface LockOptions extends Pick<PrivacyOptions, 'warn' | 'exposed'> {
  readonly limits?: typeof usualLimits;
}
/** Delay between attempts; more frequent attempts of a hundred processes would slow down the holder. */
const pauseMs = 20;
/** Trying the lock is cheap, reading its holder is not. */
const attemptsPerCheck = 5;
/** A long wait is reported. The wait for a holder on this machine is longer: it may only be slow. */
const usualLimits = { silentMs: 1000, timeoutMs: 10_000, localTimeoutMs: 60_000 };

/** The last work of this process under each lock: only a lock of another process is polled. */
const pendingWork = new Map<string, Promise<unknown>>();

/** Runs `work` with exclusive access to the file. Throws internal if one holder keeps the lock for too long. */
export function withLock<T>(file: string, work: () => T | Promise<T>, options: LockOptions): Promise<T> {
  const turn = (pendingWork.get(file) ?? Promise.resolve()).then(() => lockedWork(file, work, options));
  pendingWork.set(
    file,
    turn.catch(() => undefined),
  );
  return turn;
}

async function lockedWork<T>(file: string, work: () => T | Promise<T>, options: LockOptions): Promise<T> {
  preparePrivateFolder(dirname(file), options);
  const lock = `${file}.lock`;
  const mark = await waitForLock(lock, options).catch((error: unknown) => {
    throw cannotWriteError(lock, error);
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
    if (performance.now() - sinceMs > timeoutMs) throw lockBusyError(lock, holder, timeoutMs);
    if (hasWarned || performance.now() - beganMs <= limits.silentMs) return;
    hasWarned = true;
    warn(`waiting for another stackops${processText(holder)}, which holds ${lock}`);
  };
}

function lockBusyError(lock: string, holder: Holder | undefined, timeoutMs: number): CliError {
  return new CliError(
    'internal',
    `${lock} is held by another stackops${processText(holder)}; waited ${timeoutMs / 1000} s`,
    { hint: `if no other stackops is running: rm ${shellWord(lock)}` },
  );
}

export type HeldLock = Exclude<ReturnType<typeof takeHeldLock>, string>;

/**
 * Takes a lock for the whole run without waiting, or returns its holder: ` (process 4711 on build-1)`. Throws internal.
 */
export function takeHeldLock(file: string) {
  const lock = `${file}.lock`;
  return tryToWrite(lock, () => {
    preparePrivateFolder(dirname(file));
    const left = holderOf(lock);
    if (left && isLeftOver(left)) breakLeftOver(lock);
    const mark = takeLock(lock);
    if (mark === undefined) return processText(holderOf(lock));
    // Renewed now and then: an old lock of another machine counts as left over.
    return { renew: () => renewLock(lock), release: () => giveLockBack(lock, mark) };
  });
}

/** The live holder of the lock of a file: ` (process 4711 on build-1)`. Undefined if the lock is free. */
export function lockHolderText(file: string): string | undefined {
  const holder = holderOf(`${file}.lock`);
  return holder && !isLeftOver(holder) ? processText(holder) : undefined;
}

type Holder = NonNullable<ReturnType<typeof holderOf>>;

/** No lock is held this long without being renewed. An older one was left by a machine that was renamed or removed. */
const longestMs = 600_000;
/** A lock is empty for a moment before it is written. */
const writingMs = 1000;
/** The removal of a left-over lock takes no time, so a process that is still at it was killed. */
const longestBreakMs = 2000;
/** The marks that this process uses; its other marks are left over. */
const inUse = new Set<string>();

/** Creates the lock file; its mark, or undefined where there is one already. Throws the system error. */
export function takeLock(lock: string): string | undefined {
  const start = ownStartTime();
  const mark = `${[ownPid, ownHost, ...(start ? [start] : []), crypto.randomUUID()].join(' ')}\n`;
  if (!tryCreate(lock, mark)) return undefined;
  inUse.add(mark);
  return mark;
}

/** Shows other machines, which cannot see our process, that a lock is still held. Never throws. */
function renewLock(lock: string): void {
  try {
    utimesSync(lock, Date.now() / 1000, Date.now() / 1000);
  } catch {
    // This machine sees the process that holds it.
  }
}

/** Leaves the file to the next process, which treats it like one of a dead process. */
export function forgetLock(mark: string): void {
  inUse.delete(mark);
}

/** Removes the lock file, unless another process has broken it meanwhile. Throws the system error. */
export function giveLockBack(lock: string, mark: string): void {
  forgetLock(mark);
  if (holderOf(lock)?.mark === mark) rmSync(lock, { force: true });
}

/**
 * The owner of a lock file: its first line, unique each time, and the parsed content; undefined when missing. Throws the
 * system error when it cannot be read, internal when it is not a lock.
 */
export function holderOf(lock: string) {
  try {
    const { text, stats } = readNow(lock);
    const [mark = ''] = text.split(/(?<=\n)/);
    const [, pid, host, start] = /^(\d+) (\S+) (?:(\d+) )?\S+\n$/.exec(mark) ?? [];
    // A file of the future was written before the clock was set back.
    const ageMs = Math.abs(Date.now() - stats.mtimeMs);
    return { mark, pid: pid === undefined ? undefined : Number(pid), host, start, ageMs };
  } catch (error) {
    if (faultCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function readNow(lock: string): { readonly text: string; readonly stats: Stats } {
  // Does not block, as opening a named pipe without a writer would.
  const handle = openSync(lock, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(handle);
    if (stats.isFile() || stats.isDirectory()) return { text: readFileSync(handle, 'utf8'), stats };
    throw new CliError('internal', `cannot use ${lock}: not a regular file`, { hint: `rm ${shellWord(lock)}` });
  } finally {
    closeSync(handle);
  }
}

/** True for a lock that is never released: its process is gone, or it is too old and from another machine. */
export function isLeftOver({ mark, pid, host, start, ageMs }: Holder): boolean {
  if (inUse.has(mark)) return false;
  if (mark === '') return ageMs > writingMs;
  if (pid === undefined || host !== ownHost) return ageMs > longestMs;
  if (pid === ownPid && start === ownStartTime()) return true;
  if (!mayBeAlive(pid, start)) return true;
  return start === undefined && ageMs > longestMs;
}

/**
 * Removes a left-over lock. Two processes may find it at once, so the removal takes a second lock and checks again:
 * otherwise the slower process would remove the new lock of the faster one.
 */
export function breakLeftOver(lock: string): void {
  const breaker = `${lock}.break`;
  if (!tryCreate(breaker, '')) {
    if ((holderOf(breaker)?.ageMs ?? 0) > longestBreakMs) rmSync(breaker, { force: true });
    return;
  }
  try {
    const holder = holderOf(lock);
    if (holder && isLeftOver(holder)) rmSync(lock, { force: true });
  } finally {
    rmSync(breaker, { force: true });
  }
}

/** ` (process 4711 on build-1)` for a message; empty when unknown. */
export function processText(holder: Holder | undefined): string {
  return holder?.pid === undefined ? '' : ` (process ${holder.pid} on ${holder.host})`;
}

function tryCreate(file: string, text: string): boolean {
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
