import type { App, Run, Session } from '../../cli/app.ts';
import type { Status, Watch } from '../../contract/observe.ts';
import { ageText, durationText } from '../../contract/values/time.ts';
import { CliError } from '../../errors/cli-error.ts';
import { unlessAborted } from '../../errors/unreadable.ts';

type Limits = Pick<Run['limits'], 'timeoutMs' | 'pollMs'>;
export interface Waiting extends Limits, Pick<App, 'elapsed' | 'sleep'>, Pick<Session, 'rateLimit'> {
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

/** What the last checks showed. */
interface Seen {
  readonly watch: Watch;
  /** The last status that could be read, and when. */
  readonly status?: Status;
  readonly atMs: number;
  /** Why the last check showed none. */
  readonly unread?: string;
}

/**
 * Checks until it ends well, and returns the record in which that was seen. Throws operation_failed when it ended badly,
 * pending when it had not ended in time or nothing can show its end, not_found when it never appeared, unavailable when
 * contact was lost, interrupted after Ctrl-C. Nothing is ever taken for an end that was not seen.
 */
export async function watchToEnd(watch: Watch, waiting: Waiting): Promise<unknown> {
  const { elapsed, timeoutMs, pollMs, over } = waiting;
  const beganMs = elapsed();
  const report = whenNew(waiting.changed);
  let seen: Seen = { watch, atMs: beganMs };
  for (let misses = 0; ; ) {
    seen = await checkOnce(seen, waiting, misses + 1);
    const restMs = restOf(waiting);
    if (seen.unread === undefined) misses = 0;
    else if (restMs === 0) misses += 1;
    report((restMs > 0 ? seen.unread : undefined) ?? seen.status?.text);
    if (isEnd(seen)) return settle(seen.watch, seen.status);
    const leftMs = beganMs + timeoutMs - elapsed();
    if (leftMs <= 0 || over.aborted || restMs > leftMs) throw outOfTime(seen, beganMs, elapsed());
    // Longer after every failed check, to spare a service in trouble.
    const pauseMs = Math.max(pollMs, Math.min(longestPauseMs, pollMs * 2 ** misses));
    await pause(seen.watch, waiting, Math.min(leftMs, Math.max(restMs, pauseMs)));
  }
}

function whenNew(take: (text: string) => void): (text: string | undefined) => void {
  let said: string | undefined;
  return (text) => {
    if (text !== undefined && text !== said) take(text);
    said = text;
  };
}

function restOf({ rateLimit }: Waiting): number {
  return rateLimit()?.forMs ?? 0;
}

function isEnd(seen: Seen): seen is Seen & { readonly status: Status } {
  return seen.unread === undefined && seen.status !== undefined && seen.status.state !== 'running';
}

/** A service that could not be reached, or had not answered when the time was over, shows nothing new. */
async function checkOnce(before: Seen, waiting: Waiting, misses: number): Promise<Seen> {
  const { signal, over, elapsed, pollMs } = waiting;
  const { watch } = before;
  // What is not asked any more does not fail to answer.
  if (over.aborted && before.status) return before;
  const beganMs = elapsed();
  try {
    const status = await unlessAborted(watch.check(), over);
    // Nor does what was asked a moment ago.
    if (!status && before.status && elapsed() - beganMs < pollMs) return before;
    if (!status) return { ...before, unread: 'no response' };
    return { watch: status.resume ? { ...watch, resume: status.resume } : watch, status, atMs: elapsed() };
  } catch (error) {
    if (signal.aborted) throw stopped(watch);
    if (!(error instanceof CliError)) throw error;
    const isTolerated = misses < tolerated || restOf(waiting) > 0;
    if (error.kind === 'unavailable' && isTolerated) return { ...before, unread: error.why };
    throw lostContact(before, error, elapsed());
  }
}

async function pause(watch: Watch, { sleep, signal }: Waiting, ms: number): Promise<void> {
  await sleep(ms, signal).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  if (signal.aborted) throw stopped(watch);
}

function settle({ name, resume }: Watch, { state, text, value, fault }: Status): unknown {
  if (state === 'good') return value;
  if (state === 'failed') {
    const result = text.startsWith('failed') ? text : `failed: ${text}`;
    throw new CliError('operation_failed', fault ?? `${name} ${result}`, { partial: { value } });
  }
  if (state === 'unknown') {
    throw new CliError('outcome_unknown', fault ?? `outcome of ${name} unknown: ${text}`, {
      hint: resume,
      partial: { value },
    });
  }
  const message = `cannot tell whether ${name} finished: ${text}`;
  throw new CliError('pending', message, { hint: resume, partial: { value } });
}

function outOfTime(seen: Seen, beganMs: number, nowMs: number): CliError {
  const { watch, status, unread } = seen;
  const { name, resume } = watch;
  const after = durationText(nowMs - beganMs);
  if (status && isMissing(watch)) {
    if (!unread) return new CliError('not_found', `no ${name} after ${after}`, { hint: resume });
    return new CliError('pending', `no ${name} seen within ${after}: ${unread}`, { hint: resume });
  }
  if (!status) return new CliError('pending', `${name} could not be read within ${after}: ${unread}`, { hint: resume });
  const last = unread ? `: ${lastSeen(status, seen, nowMs)}, then ${unread}` : ` (${status.text}); it continues`;
  const message = `${name} has not finished after ${after}${last}`;
  return new CliError('pending', message, { hint: resume, partial: { value: status.value } });
}

function lastSeen({ text }: Status, { atMs }: Seen, nowMs: number): string {
  return `last seen ${text} ${ageText(Math.trunc((nowMs - atMs) / 1000))} ago`;
}

function stopped(watch: Watch): CliError {
  const { name, resume } = watch;
  if (isMissing(watch)) return new CliError('interrupted', `stopped waiting; no ${name} yet`, { hint: resume });
  return new CliError('interrupted', `stopped waiting; ${name} continues`, { hint: resume, extra: { accepted: true } });
}

function lostContact(seen: Seen, error: CliError, nowMs: number): CliError {
  const { name, resume } = seen.watch;
  if (isMissing(seen.watch)) return error;
  // Only the check was not sent; what it watches was.
  const extra = { accepted: true };
  const last = seen.status ? ` (${lastSeen(seen.status, seen, nowMs)})` : '';
  const message = `${name} can no longer be watched${last}: ${error.why}`;
  return new CliError(error.kind, message, { ...error.details, hint: resume, why: undefined, extra });
}

function isMissing({ exists }: Watch): boolean {
  return exists?.() === false;
}
