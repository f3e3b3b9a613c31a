import { getPriority, hostname } from 'node:os';
import { geteuid, pid } from 'node:process';

/** The numeric user of this process; undefined where there is none (Windows). */
export const ownUser: number | undefined = geteuid?.();
export const ownPid: number = pid;
export const ownHost: string = hostname();

/** False only when the system is sure that no process of this number exists on this machine. */
export function mayBeAlive(otherPid: number): boolean {
  try {
    getPriority(otherPid);
    return true;
  } catch (error) {
    return !String(error).includes('ESRCH');
  }
}
