import { readFileSync, statSync } from 'node:fs';
import { faultCode } from '../file-fault.ts';
import { mayBeAlive, ownHost, ownPid, startOf } from '../identity.ts';

/** The holder of a lock or ticket file. */
export interface Holder {
  /** The first line of the file, unique each time. */
  readonly mark: string;
  readonly pid: number | undefined;
  readonly host: string | undefined;
  /** The start of the process, where the system reports it. */
  readonly start: string | undefined;
  readonly ageMs: number;
}

/** No lock is held this long. An older one was left by a machine that was renamed or removed. */
const longestMs = 600_000;
/** Without hard links a lock is empty for a moment before it is written. */
const writingMs = 1000;
/** The marks of this process in use; any other of ours is left over. */
const inUse = new Set<string>();

/** A new mark of this process; give it back to `forgetMark`. */
export function makeMark(host: string = ownHost): string {
  const start = startOf(ownPid);
  const mark = `${[ownPid, host, ...(start ? [start] : []), crypto.randomUUID()].join(' ')}\n`;
  inUse.add(mark);
  return mark;
}

export function forgetMark(mark: string): void {
  inUse.delete(mark);
}

/** Undefined when missing. Throws the system error when it cannot be read. */
export function holderOf(file: string): Holder | undefined {
  try {
    const [mark = ''] = readFileSync(file, 'utf8').split(/(?<=\n)/);
    const [, pid, host, start] = /^(\d+) (\S+) (?:(\d+) )?\S+\n$/.exec(mark) ?? [];
    // A file of the future was written before the clock was set back.
    const ageMs = Math.abs(Date.now() - statSync(file).mtimeMs);
    return { mark, pid: pid === undefined ? undefined : Number(pid), host, start, ageMs };
  } catch (error) {
    if (faultCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** True when nobody will release it: its process is gone, or it is too old and on another machine. */
export function isLeftOver({ mark, pid, host, start, ageMs }: Holder, here: string = ownHost): boolean {
  if (inUse.has(mark)) return false;
  if (mark === '') return ageMs > writingMs;
  if (pid === undefined || host !== here) return ageMs > longestMs;
  if (pid === ownPid && start === startOf(ownPid)) return true;
  if (!mayBeAlive(pid, start)) return true;
  return start === undefined && ageMs > longestMs;
}

/** ` (process 4711 on build-1)` for a message; empty when unknown. */
export function processOf(holder: Holder | undefined): string {
  return holder?.pid === undefined ? '' : ` (process ${holder.pid} on ${holder.host})`;
}
