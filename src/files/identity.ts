import { readFileSync } from 'node:fs';
import { getPriority, hostname } from 'node:os';
import { geteuid, pid, platform } from 'node:process';
import { once } from '../contract/values/once.ts';

/** The numeric user of this process; undefined on Windows. */
export const ownUserId: number | undefined = geteuid?.();
export const ownPid: number = pid;
export const ownPlatform: string = platform;
export const ownHost: string = hostname();

/** The start time of a process in ticks since boot, to detect a reused process ID; Linux only. */
export function startTimeOf(pid: number): string | undefined {
  return statOf(pid)?.start;
}

/** The start time of this process. */
export const ownStartTime = once(() => startTimeOf(ownPid));

/** False only when the process is certainly gone: its ID is unused, reused by a later process, or that of a zombie. */
export function mayBeAlive(pid: number, start?: string): boolean {
  try {
    getPriority(pid);
  } catch (error) {
    return !String(error).includes('ESRCH');
  }
  const found = statOf(pid);
  if (!found) return true;
  return found.state !== 'Z' && (start === undefined || start === found.start);
}

function statOf(pid: number): { readonly state: string; readonly start: string } | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The second field is the program name in parentheses, which may contain spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, start] = [fields[0], fields[19]];
  return state === undefined || start === undefined ? undefined : { state, start };
}
