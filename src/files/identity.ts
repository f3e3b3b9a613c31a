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
  return readProcessStat(pid)?.startTime;
}

export const findOwnStartTime = once(() => startTimeOf(ownPid));

/** False only if the process is certainly gone: its ID is unused, or belongs to a later process or to a zombie. */
export function mayBeAlive(pid: number, startTime?: string): boolean {
  try {
    getPriority(pid);
  } catch (error) {
    return !String(error).includes('ESRCH');
  }
  const processStat = readProcessStat(pid);
  if (!processStat) return true;
  return processStat.state !== 'Z' && (startTime === undefined || startTime === processStat.startTime);
}

function readProcessStat(pid: number): { readonly state: string; readonly startTime: string } | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The second field is the program name in parentheses. The name itself may contain spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, startTime] = [fields[0], fields[19]];
  return state === undefined || startTime === undefined ? undefined : { state, startTime };
}
