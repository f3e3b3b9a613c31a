import type { CommandLine } from '../../contract/command-line.ts';
import type { Status, Watch } from '../../contract/observe.ts';
import { Problem, type ProblemDetails } from '../../problems/problem.ts';

export interface Waiting {
  /** Of the whole wait. */
  readonly timeoutMs: number;
  /** Between two checks; at least a second. */
  readonly pollMs: number;
  readonly elapsed: () => number;
  /** Rejects when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Ends the wait, never what is waited for. */
  readonly signal: AbortSignal;
  /** Aborted when the time of the whole wait is over, so that no check outlasts it. */
  readonly over: AbortSignal;
  /** Called whenever the status has changed: `deploying`. */
  readonly changed: (text: string) => void;
}

/** Checks in a row that may fail, each after its own repeats, before contact counts as lost. */
const tolerated = 5;
const longestPauseMs = 60_000;

/**
 * Checks until it ends well, and returns the record in which that was seen. Throws operation_failed when it ended badly,
 * pending when it had not ended in time or nothing can show its end, not_found when it never appeared, unavailable when
 * contact was lost, interrupted after Ctrl-C. Nothing is ever taken for an end that was not seen.
 */
export async function watchToEnd(started: Watch, waiting: Waiting): Promise<unknown> {
  const deadlineMs = waiting.elapsed() + waiting.timeoutMs;
  let watch = started;
  let seen: Status | undefined;
  for (let misses = 0; ; ) {
    const status = await checkOnce(watch, waiting, misses + 1);
    misses = status ? 0 : misses + 1;
    if (status && status.text !== seen?.text) waiting.changed(status.text);
    seen = status ?? seen;
    if (status?.resume) watch = { ...watch, resume: status.resume };
    if (status && status.state !== 'running') return settle(watch, status);
    const leftMs = deadlineMs - waiting.elapsed();
    if (leftMs <= 0 || waiting.over.aborted) throw outOfTime(watch, seen, waiting.timeoutMs);
    await pause(watch, waiting, Math.min(leftMs, pauseMs(waiting.pollMs, misses)));
  }
}

/** Undefined when the service could not be reached this time, or had not answered when the time was over. */
async function checkOnce(watch: Watch, { signal, over }: Waiting, misses: number): Promise<Status | undefined> {
  try {
    return await unlessOver(watch.check(), over);
  } catch (error) {
    if (signal.aborted) throw stopped(watch);
    if (!(error instanceof Problem)) throw error;
    if (error.kind === 'unavailable' && misses < tolerated) return undefined;
    throw lostContact(watch, error);
  }
}

async function unlessOver(checking: Promise<Status>, over: AbortSignal): Promise<Status | undefined> {
  let stop = () => {};
  const end = new Promise<undefined>((resolve) => {
    stop = () => resolve(undefined);
    over.addEventListener('abort', stop, { once: true });
  });
  try {
    return await (over.aborted ? undefined : Promise.race([checking, end]));
  } finally {
    over.removeEventListener('abort', stop);
    // The result is no longer needed, so a later failure is ignored.
    checking.catch(() => undefined);
  }
}

/** Longer after every failed check, to spare a service in trouble. */
function pauseMs(pollMs: number, misses: number): number {
  return Math.max(pollMs, Math.min(longestPauseMs, pollMs * 2 ** misses));
}

async function pause(watch: Watch, { sleep, signal }: Waiting, ms: number): Promise<void> {
  await sleep(ms, signal).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  if (signal.aborted) throw stopped(watch);
}

function settle({ name, resume }: Watch, { state, text, value }: Status): unknown {
  if (state === 'good') return value;
  if (state === 'failed') {
    const result = text.startsWith('failed') ? text : `failed: ${text}`;
    throw new Problem('operation_failed', `${name} ${result}`, { partial: { value } });
  }
  throw new Problem('pending', `cannot tell whether ${name} finished: ${text}`, {
    ...hintOf(resume),
    partial: { value },
  });
}

function outOfTime(watch: Watch, seen: Status | undefined, timeoutMs: number): Problem {
  const { name, resume } = watch;
  const after = durationText(timeoutMs);
  if (seen && isMissing(watch)) return new Problem('not_found', `no ${name} after ${after}`, hintOf(resume));
  const last = seen ? ` (${seen.text})` : '';
  const message = `${name} not finished after ${after}${last}${isMissing(watch) ? '' : '; it continues'}`;
  return new Problem('pending', message, { ...hintOf(resume), ...(seen && { partial: { value: seen.value } }) });
}

function stopped(watch: Watch): Problem {
  const { name, resume } = watch;
  if (isMissing(watch)) return new Problem('interrupted', `stopped waiting; no ${name} yet`, hintOf(resume));
  return new Problem('interrupted', `stopped waiting; ${name} continues`, stillRunning(resume));
}

function lostContact(watch: Watch, error: Problem): Problem {
  if (isMissing(watch)) return error;
  const { name, resume } = watch;
  const { kind, message, details } = error;
  // Only the check was not sent; what it watches was.
  const { hint: _, facts: __, why = message, ...rest } = details;
  const how = kind === 'unavailable' ? 'the connection was lost' : 'it can no longer be watched';
  return new Problem(kind, `${name} continues, but ${how}: ${why}`, { ...rest, ...stillRunning(resume) });
}

function isMissing({ exists }: Watch): boolean {
  return exists?.() === false;
}

/** The service has accepted the operation, even if it can no longer be watched. */
function stillRunning(resume: CommandLine | undefined): Pick<ProblemDetails, 'hint' | 'facts'> {
  return { facts: { accepted: true }, ...hintOf(resume) };
}

function hintOf(resume: CommandLine | undefined): Pick<ProblemDetails, 'hint'> {
  return resume === undefined ? {} : { hint: resume };
}

/** `45s`, `2m 5s`, `1h 2m`: how long something took, for people. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const parts =
    hours > 0 ? [`${hours}h`, `${minutes}m`] : [...(minutes > 0 ? [`${minutes}m`] : []), `${seconds % 60}s`];
  return parts.filter((part) => !/^0/.test(part)).join(' ') || '0s';
}
