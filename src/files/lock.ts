import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Problem } from '../problems/problem.ts';
import { cannotWrite, faultReason, quoted } from './file-fault.ts';
import { forgetMark, type Holder, holderOf, isLeftOver } from './lock-holder.ts';
import { breakLeftOver, drawTicket, hasLock, leaveQueue, numberBefore, type Ticket } from './lock-queue.ts';
import { preparePrivateFolder } from './private-folder.ts';

export interface LockOptions {
  /** Told for whom is waited, and of a lock that could not be removed. */
  readonly warn: (line: string) => void;
  readonly limits?: LockLimits;
  /** The name of this machine, for tests. */
  readonly host?: string;
}
interface LockLimits {
  /** Waiting is silent for so long. */
  readonly silentMs: number;
  /** The longest time that one holder is waited for; the queue may take longer. */
  readonly patienceMs: number;
}
const usualLimits: LockLimits = { silentMs: 1000, patienceMs: 10_000 };

/**
 * Runs `work` while no other process runs work on the same file; whoever came first goes first. Throws internal when
 * one holder keeps it for 10 seconds, or when there can be no lock.
 */
export async function withLock<T>(file: string, work: () => T | Promise<T>, options: LockOptions): Promise<T> {
  preparePrivateFolder(dirname(file));
  const ticket = drawTicket(`${file}.lock`, options.host);
  try {
    await waitForTurn(ticket, options).catch((error: unknown) => {
      throw cannotWrite(ticket.lock, error);
    });
    return await work();
  } finally {
    leave(ticket, options);
  }
}

async function waitForTurn(ticket: Ticket, { warn, limits = usualLimits }: LockOptions): Promise<void> {
  const beganMs = performance.now();
  let holder: Holder | undefined;
  let holderSinceMs = beganMs;
  let isTold = false;
  while (!hasLock(ticket)) {
    const now = holderOf(ticket.lock);
    if (now?.mark !== holder?.mark) holderSinceMs = performance.now();
    holder = now;
    if (holder && isLeftOver(holder, ticket.host)) breakLeftOver(ticket);
    else if (performance.now() - holderSinceMs > limits.patienceMs) throw busy(ticket.lock, holder, limits);
    else if (!isTold && performance.now() - beganMs > limits.silentMs) {
      isTold = true;
      warn(`waiting for another stackops${nameOf(holder)}, which holds ${ticket.lock}`);
    }
    await pause(pauseMs(ticket));
  }
}

/** Whoever is next looks often; a hundred eager ones would take the processor from the one that has the lock. */
function pauseMs(ticket: Ticket): number {
  return Math.min(100, 3 + 5 * numberBefore(ticket));
}

/** The work is done whatever becomes of the lock: one that stays is a leftover for everybody, this process included. */
function leave(ticket: Ticket, { warn }: LockOptions): void {
  try {
    leaveQueue(ticket);
  } catch (error) {
    warn(`cannot remove ${ticket.lock}: ${faultReason(error)}`);
  } finally {
    forgetMark(ticket.mark);
  }
}

function busy(lock: string, holder: Holder | undefined, { patienceMs }: LockLimits): Problem {
  return new Problem(
    'internal',
    `${lock} is held by another stackops${nameOf(holder)}; waited ${patienceMs / 1000} s`,
    { hint: `when no other stackops is running: rm ${quoted(lock)}` },
  );
}

function nameOf(holder: Holder | undefined): string {
  return holder?.pid === undefined ? '' : ` (process ${holder.pid} on ${holder.host})`;
}
