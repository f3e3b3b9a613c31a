import { randomUUID } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { faultCode } from '../file-fault.ts';
import { mayBeAlive, ownHost, ownPid, startOf } from '../identity.ts';

/** Whose lock or ticket a file is. */
export interface Holder {
  /** The first line of the file, another one each time. */
  readonly mark: string;
  readonly pid: number | undefined;
  readonly host: string | undefined;
  /** When the process started, where its system says it. */
  readonly start: string | undefined;
  readonly ageMs: number;
}

/** Nobody works under a lock for so long: what is older was left by a machine that changed its name, or went away. */
const longestMs = 600_000;
/** Where files have no second names a lock is empty for a moment before it is written. */
const writingMs = 1000;
/** The marks of this process that are in use; any other one of ours is a leftover. */
const inUse = new Set<string>();

/** A new mark of this process; give it back to `forgetMark`. */
export function makeMark(host: string = ownHost): string {
  const start = startOf(ownPid);
  const mark = `${[ownPid, host, ...(start ? [start] : []), randomUUID()].join(' ')}\n`;
  inUse.add(mark);
  return mark;
}

export function forgetMark(mark: string): void {
  inUse.delete(mark);
}

/** Undefined when there is no such file. Throws what the system says when it cannot be read. */
export function holderOf(file: string): Holder | undefined {
  try {
    const [mark = ''] = readFileSync(file, 'utf8').split(/(?<=\n)/);
    const [, pid, host, start] = /^(\d+) (\S+) (?:(\d+) )?\S+\n$/.exec(mark) ?? [];
    const ageMs = Date.now() - statSync(file).mtimeMs;
    return { mark, pid: pid === undefined ? undefined : Number(pid), host, start, ageMs };
  } catch (error) {
    if (faultCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** True when nobody will ever give it back: its process is gone, or it is too old for one that cannot be asked. */
export function isLeftOver({ mark, pid, host, start, ageMs }: Holder, here: string = ownHost): boolean {
  if (inUse.has(mark)) return false;
  if (mark === '') return ageMs > writingMs;
  if (pid === undefined || host !== here) return ageMs > longestMs;
  if (pid === ownPid && start === startOf(ownPid)) return true;
  if (!mayBeAlive(pid, start)) return true;
  return start === undefined && ageMs > longestMs;
}

/** ` (process 4711 on build-1)` behind a message, where it is known. */
export function processOf(holder: Holder | undefined): string {
  return holder?.pid === undefined ? '' : ` (process ${holder.pid} on ${holder.host})`;
}
