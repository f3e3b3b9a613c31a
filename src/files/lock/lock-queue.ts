import { closeSync, linkSync, openSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { cannotWrite, faultCode } from '../file-fault.ts';
import { forgetMark, holderOf, isLeftOver, makeMark } from './lock-holder.ts';

/**
 * One process in the queue for a lock. Its ticket is a file beside the lock, named by the time it came; to have the
 * lock is to have the ticket's content under the name of the lock. A lock that is given back is free for whoever looks
 * first: that wastes no time. Only when somebody has waited for long it is handed over, by a rename of that ticket.
 */
export interface Ticket {
  readonly lock: string;
  readonly file: string;
  readonly mark: string;
  /** The name of this machine. */
  readonly host: string | undefined;
}

/** Error codes of file systems without hard links. */
const noLinks: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);
/** Breaking a lock takes no time, so a process that still does was killed. */
const longestBreakMs = 2000;
/** After this wait nobody else goes first. */
const longMs = 2000;
let drawn = 0;

/** Throws internal when it cannot be written; then nothing of it stays. What else goes wrong here is the system's own error. */
export function drawTicket(lock: string, host: string | undefined): Ticket {
  const mark = makeMark(host);
  drawn += 1;
  const order = `${Date.now()}-${String(drawn).padStart(6, '0')}`;
  const file = `${lock}.${order}-${mark.trim().slice(-12)}`;
  try {
    writeWhole(file, mark);
  } catch (error) {
    forgetMark(mark);
    throw cannotWrite(lock, error);
  }
  return { lock, file, mark, host };
}

/** Takes the lock if it is free; true when this ticket holds it, also after a handover. */
export function hasLock(ticket: Ticket): boolean {
  const { lock, file, mark } = ticket;
  const place = placeAt(lock, ticket);
  if (place === 'taken') return false;
  if (place === 'lost' && holderOf(lock)?.mark === mark) return true;
  if (place === 'given') rmSync(file, { force: true });
  // Another process removed the ticket as left over.
  else writeWhole(file, mark);
  return place === 'given';
}

/**
 * Gives back the lock, also one that was handed over to somebody who gives up just now. The work is done whatever becomes
 * of the lock: one that cannot be removed is reported, and is a leftover for everybody, this process included.
 */
export function leaveQueue({ lock, file, mark, host }: Ticket, failed: (error: unknown) => void): void {
  try {
    rmSync(file, { force: true });
    if (holderOf(lock)?.mark === mark) passOn(lock, host);
  } catch (error) {
    failed(error);
  } finally {
    forgetMark(mark);
  }
}

/**
 * Two processes may find the same dead lock at once. Whoever passes it on must hold a second lock and look again, or
 * the slower one would take away what the faster one has just given to somebody.
 */
export function breakLeftOver({ lock, mark, host }: Ticket): void {
  const breaker = `${lock}.break`;
  if (!isMade(breaker, mark)) {
    if ((holderOf(breaker)?.ageMs ?? 0) > longestBreakMs) rmSync(breaker, { force: true });
    return;
  }
  try {
    const holder = holderOf(lock);
    if (holder && isLeftOver(holder, host)) passOn(lock, host);
  } finally {
    rmSync(breaker, { force: true });
  }
}

function passOn(lock: string, host: string | undefined): void {
  for (const file of ticketsOf(lock)) {
    const holder = holderOf(file);
    if (holder && isLeftOver(holder, host)) rmSync(file, { force: true });
    else if (holder?.pid !== undefined && holder.ageMs > longMs && renamed(file, lock)) return;
  }
  rmSync(lock, { force: true });
}

/** Oldest first. */
function ticketsOf(lock: string): readonly string[] {
  const start = `${basename(lock)}.`;
  const isTicket = (name: string) => name.startsWith(start) && /^\d/.test(name.slice(start.length));
  return readdirSync(dirname(lock))
    .filter(isTicket)
    .sort()
    .map((name) => join(dirname(lock), name));
}

/** Gives the ticket a second name, unless something has that name or the ticket has lost its own. */
function placeAt(name: string, { file, mark }: Ticket): 'given' | 'taken' | 'lost' {
  try {
    linkSync(file, name);
    return 'given';
  } catch (error) {
    const code = faultCode(error);
    if (code === 'EEXIST') return 'taken';
    if (code === 'ENOENT') return 'lost';
    if (!noLinks.has(code)) throw error;
  }
  return isMade(name, mark) ? 'given' : 'taken';
}

/** False when the name is taken. */
function isMade(file: string, text: string): boolean {
  try {
    writeWhole(file, text);
    return true;
  } catch (error) {
    if (faultCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Creates a complete file or none: a partial one on a full disk is removed. */
function writeWhole(file: string, text: string): void {
  const handle = openSync(file, 'wx', 0o600);
  try {
    writeFileSync(handle, text);
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  } finally {
    closeSync(handle);
  }
}

/** False when the owner of the ticket has just left the queue. */
function renamed(file: string, name: string): boolean {
  try {
    renameSync(file, name);
    return true;
  } catch (error) {
    if (faultCode(error) === 'ENOENT') return false;
    throw error;
  }
}
