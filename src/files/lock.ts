import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Problem } from '../problems/problem.ts';
import { cannotWrite, faultCode, quoted } from './file-fault.ts';
import { mayBeAlive, ownHost, ownPid } from './identity.ts';
import { preparePrivateFolder } from './private-folder.ts';

export interface LockLimits {
  readonly waitMs: number;
  /** A lock whose holder is gone is broken when it is older than this. */
  readonly staleMs: number;
}
/** Waiting outlasts a dead holder: the command after a crash is slow, and does not fail. */
const usualLimits: LockLimits = { waitMs: 40_000, staleMs: 30_000 };

/** Runs `work` while no other process runs work on the same file; throws internal after a wait of 40 seconds. */
export async function withLock<T>(
  file: string,
  work: () => T | Promise<T>,
  limits: LockLimits = usualLimits,
): Promise<T> {
  const lock = `${file}.lock`;
  const mark = `${ownPid} ${ownHost} ${randomUUID()}\n`;
  preparePrivateFolder(dirname(file));
  await acquire(lock, mark, limits);
  try {
    return await work();
  } finally {
    if (contentOf(lock) === mark) rmSync(lock, { force: true });
  }
}

/** Whoever waits sleeps longer each time: a hundred eager ones would take the processor from the one that holds it. */
async function acquire(lock: string, mark: string, { waitMs, staleMs }: LockLimits): Promise<void> {
  const deadline = performance.now() + waitMs;
  let delayMs = 4;
  while (!take(lock, mark)) {
    breakStale(lock, staleMs);
    if (performance.now() > deadline) throw busy(lock, waitMs);
    await pause(delayMs * (0.5 + Math.random() / 2));
    delayMs = Math.min(60, delayMs * 1.5);
  }
}

function take(lock: string, mark: string): boolean {
  try {
    writeFileSync(lock, mark, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (faultCode(error) === 'EEXIST') return false;
    throw cannotWrite(lock, error);
  }
}

/**
 * Two processes may find the same dead lock at once. Whoever removes it must hold a second lock and look again,
 * or the slower one would remove the lock that the faster one has just taken.
 */
function breakStale(lock: string, staleMs: number): void {
  if (!isStale(lock, staleMs)) return;
  const breaker = `${lock}.break`;
  if (!take(breaker, '')) {
    if (ageMs(breaker) > staleMs) rmSync(breaker, { force: true });
    return;
  }
  try {
    if (isStale(lock, staleMs)) rmSync(lock, { force: true });
  } finally {
    rmSync(breaker, { force: true });
  }
}

function isStale(lock: string, staleMs: number): boolean {
  if (ageMs(lock) <= staleMs) return false;
  const [pid, host] = (contentOf(lock) ?? '').trim().split(' ');
  if (!pid) return true;
  return host === ownHost && !mayBeAlive(Number(pid));
}

function ageMs(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false });
  return found ? Date.now() - found.mtimeMs : 0;
}

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function busy(lock: string, waitMs: number): Problem {
  const [pid, host] = (contentOf(lock) ?? '').trim().split(' ');
  const holder = pid ? ` (process ${pid} on ${host})` : '';
  return new Problem('internal', `${lock} is held by another stackops${holder}; waited ${waitMs / 1000} s`, {
    hint: `when no other stackops is running: rm ${quoted(lock)}`,
  });
}
