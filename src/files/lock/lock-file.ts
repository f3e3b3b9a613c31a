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
import { shellWord } from '../../contract/values/shell-word.ts';
import { CliError } from '../../errors/cli-error.ts';
import { createFile } from '../create-file.ts';
import { faultCode } from '../file-fault.ts';
import { mayBeAlive, ownHost, ownPid, ownStart } from '../identity.ts';

export type Holder = NonNullable<ReturnType<typeof holderOf>>;

/** No lock is held this long without being renewed. An older one was left by a machine that was renamed or removed. */
const longestMs = 600_000;
/** A lock is empty for a moment before it is written. */
const writingMs = 1000;
/** Breaking a lock takes no time, so a process that still does was killed. */
const longestBreakMs = 2000;
/** The marks that this process uses; its other marks are left over. */
const inUse = new Set<string>();

/** Creates the lock file; its mark, or undefined where there is one already. Throws the system error. */
export function takeLock(lock: string): string | undefined {
  const start = ownStart();
  const mark = `${[ownPid, ownHost, ...(start ? [start] : []), crypto.randomUUID()].join(' ')}\n`;
  if (!isMade(lock, mark)) return undefined;
  inUse.add(mark);
  return mark;
}

/** Shows other machines, which cannot see our process, that a lock is still held. Never throws. */
export function renewLock(lock: string): void {
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
 * Who made a lock file: its first line, unique each time, and what that says; undefined when missing. Throws the system
 * error when it cannot be read, internal for what can be no lock.
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
  if (pid === ownPid && start === ownStart()) return true;
  if (!mayBeAlive(pid, start)) return true;
  return start === undefined && ageMs > longestMs;
}

/**
 * Removes a left-over lock. Two processes may find it at once, so the removal takes a second lock and checks again:
 * otherwise the slower process would remove the new lock of the faster one.
 */
export function breakLeftOver(lock: string): void {
  const breaker = `${lock}.break`;
  if (!isMade(breaker, '')) {
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
export function processOf(holder: Holder | undefined): string {
  return holder?.pid === undefined ? '' : ` (process ${holder.pid} on ${holder.host})`;
}

/** Creates a complete file, or none where a disk is full; false when the name is taken. */
function isMade(file: string, text: string): boolean {
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
