import { readFileSync } from 'node:fs';
import { getPriority, hostname } from 'node:os';
import { geteuid, pid, platform } from 'node:process';
import { once } from '../contract/values/once.ts';

/** The effective user ID of this process; undefined on Windows. */
export const ownUserId: number | undefined = geteuid?.();
export const ownPid: number = pid;
export const ownPlatform: string = platform;
export const ownHost: string = hostname();

/** Returns when a process started, in ticks since boot, to recognize a reused process ID; undefined except on Linux. */
export function startTimeOf(pid: number): string | undefined {
  return readStat(pid)?.start;
}

export const ownStartTime = once(() => startTimeOf(ownPid));

/** False only if the process is certainly gone: its ID is unused, or belongs to a later process or to a zombie. */
export function mayBeAlive(pid: number, start?: string): boolean {
  try {
    getPriority(pid);
  } catch (error) {
    return !String(error).includes('ESRCH');
  }
  const stat = readStat(pid);
  if (!stat) return true;
  return stat.state !== 'Z' && (start === undefined || start === stat.start);
}

function readStat(pid: number): { readonly state: string; readonly start: string } | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The second field is the program name in parentheses. The name itself may contain spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, start] = [fields[0], fields[19]];
  return state === undefined || start === undefined ? undefined : { state, start };
}
