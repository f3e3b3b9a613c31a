import { readFileSync } from 'node:fs';
import { getPriority, hostname } from 'node:os';
import { geteuid, pid } from 'node:process';

/** The numeric user of this process; undefined where there is none (Windows). */
export const ownUser: number | undefined = geteuid?.();
export const ownPid: number = pid;
export const ownHost: string = hostname();

/** When a process started, in ticks since boot, so that a reused number is told from the old one; only Linux says it. */
export function startOf(pid: number): string | undefined {
  return statOf(pid)?.start;
}

/**
 * False only when the system is sure that the process is gone: none of this number, another one that got its number
 * later, or one that has ended and is only kept for its parent.
 */
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
  // The second field is the name of the program, in parentheses, and may hold blanks and parentheses itself.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, start] = [fields[0], fields[19]];
  return state === undefined || start === undefined ? undefined : { state, start };
}
