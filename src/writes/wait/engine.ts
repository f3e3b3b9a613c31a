import type { App, Run, Session } from '../../cli/app.ts';
import { ProbableMatch, type Read, type Watch, type WatchStatus } from '../../contract/observe.ts';
import type { Operation } from '../../contract/operation.ts';
import { ageText, durationText } from '../../contract/values/time.ts';
import { CliError, unlessAborted } from '../../errors/cli-error.ts';
import { actionOfOperation } from '../../resources/action.ts';
import type { ActiveWrite } from '../sent-change.ts';
import { createQueuedWatch, type EffectCheck, statusOf } from './action.ts';

type WaitLimits = Pick<Run['writeOptions'], 'timeoutMs' | 'pollMs'>;
export interface WaitOptions extends WaitLimits, Pick<App, 'elapsed' | 'sleep'>, Pick<Session, 'rateLimit'> {
  /** Aborted by Ctrl-C, which ends the wait. The watched operation continues. */
  readonly signal: AbortSignal;
  /** Aborted when the time of the wait is over, so that no check exceeds it. */
  readonly timeLimitSignal: AbortSignal;
  /** Called with each new text of the status: `deploying`. */
  readonly onChange: (text: string) => void;
}

/** Number of failed checks in a row, after retries of each request, that counts as a lost contact. */
const lostContactFailureCount = 5;
const maxPauseMs = 60_000;

interface WaitProgress {
  readonly watch: Watch;
  /** The last status, read at `atMs`; absent before the first status. */
  readonly status?: WatchStatus;
  readonly atMs: number;
  /** The reason why the last check returned no status; absent if it returned a status. */
  readonly unreadReason?: string;
}

/**
 * Checks until the operation succeeds, and returns its last record. Throws `operation_failed` for a failure,
 * `outcome_unknown` for an end without a visible result, `pending` if time is over or no end can be observed,
 * `not_found` if the operation never appeared, `unavailable` if contact is lost, and `interrupted` after Ctrl-C. If a
 * check fails with another kind of error, that kind is thrown.
 */
export async function watchToEnd(watch: Watch, waitOptions: WaitOptions): Promise<unknown> {
  const { elapsed, timeoutMs, pollMs, timeLimitSignal } = waitOptions;
  const beganMs = elapsed();
  const report = unlessRepeated(waitOptions.onChange);
  let progress: WaitProgress = { watch, atMs: beganMs };
  for (let failureCount = 0; ; ) {
    progress = await checkOnce(progress, waitOptions, failureCount + 1);
    const rateLimitLeftMs = rateLimitMs(waitOptions);
    const { status, unreadReason } = progress;
    if (unreadReason === undefined) failureCount = 0;
    else if (rateLimitLeftMs === 0) failureCount += 1;
    report((rateLimitLeftMs > 0 ? unreadReason : undefined) ?? status?.text);
    if (status && status.state !== 'running' && unreadReason === undefined)
      return resultOrThrow(progress.watch, status);
    const leftMs = beganMs + timeoutMs - elapsed();
    if (leftMs <= 0 || timeLimitSignal.aborted || rateLimitLeftMs > leftMs)
      throw timeoutError(progress, beganMs, elapsed());
    // The pause doubles after every failed check in a row, to spare a service in trouble.
    const pauseMs = Math.max(pollMs, Math.min(maxPauseMs, pollMs * 2 ** failureCount));
    await pause(progress.watch, waitOptions, Math.min(leftMs, Math.max(rateLimitLeftMs, pauseMs)));
  }
}

function unlessRepeated(report: (text: string) => void): (text: string | undefined) => void {
  let reportedText: string | undefined;
  return (text) => {
    if (text !== undefined && text !== reportedText) report(text);
    reportedText = text;
  };
}

function rateLimitMs({ rateLimit }: WaitOptions): number {
  return rateLimit()?.forMs ?? 0;
}

async function checkOnce(before: WaitProgress, waitOptions: WaitOptions, failureCount: number): Promise<WaitProgress> {
  const { signal, timeLimitSignal, elapsed, pollMs } = waitOptions;
  const { watch } = before;
  if (timeLimitSignal.aborted && before.status) return before;
  const beganMs = elapsed();
  try {
    const status = await unlessAborted(watch.check(), timeLimitSignal);
    // The time of the wait ended just after the check began, so the check does not count as failed.
    if (!status && before.status && elapsed() - beganMs < pollMs) return before;
    if (!status) return { ...before, unreadReason: 'no response' };
    return { watch: status.resume ? { ...watch, resume: status.resume } : watch, status, atMs: elapsed() };
  } catch (error) {
    if (signal.aborted) throw stoppedError(watch);
    if (!(error instanceof CliError)) throw error;
    const isTolerated = failureCount < lostContactFailureCount || rateLimitMs(waitOptions) > 0;
    if (error.kind === 'unavailable' && isTolerated) return { ...before, unreadReason: error.why };
    throw lostContactError(before, error, elapsed());
  }
}

async function pause(watch: Watch, { sleep, signal }: WaitOptions, ms: number): Promise<void> {
  await sleep(ms, signal).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  if (signal.aborted) throw stoppedError(watch);
}

function resultOrThrow({ name, resume }: Watch, { state, text, value, fault }: WatchStatus): unknown {
  if (state === 'good') return value;
  if (state === 'failed') {
    const result = text.startsWith('failed') ? text : `failed: ${text}`;
    throw new CliError('operation_failed', fault ?? `${name} ${result}`, { partial: { value } });
  }
  const details = { hint: resume, partial: { value } };
  if (state === 'unknown')
    throw new CliError('outcome_unknown', fault ?? `outcome of ${name} unknown: ${text}`, details);
  throw new CliError('pending', `cannot tell whether ${name} finished: ${text}`, details);
}

function timeoutError(progress: WaitProgress, beganMs: number, nowMs: number): CliError {
  const { watch, status, unreadReason: why } = progress;
  const { name, resume: hint } = watch;
  const elapsedText = durationText(nowMs - beganMs);
  if (!status) return new CliError('pending', `${name} could not be read within ${elapsedText}: ${why}`, { hint });
  if (hasNotAppeared(watch)) {
    if (!why) return new CliError('not_found', `no ${name} after ${elapsedText}`, { hint });
    return new CliError('pending', `no ${name} seen within ${elapsedText}: ${why}`, { hint });
  }
  const detail = why ? `: ${lastSeenText(status, progress, nowMs)}, then ${why}` : ` (${status.text}); it continues`;
  const message = `${name} has not finished after ${elapsedText}${detail}`;
  return new CliError('pending', message, { hint, partial: { value: status.value } });
}

function lastSeenText({ text }: WatchStatus, { atMs }: WaitProgress, nowMs: number): string {
  return `last seen ${text} ${ageText(Math.trunc((nowMs - atMs) / 1000))} ago`;
}

function stoppedError(watch: Watch): CliError {
  const { name, resume } = watch;
  if (hasNotAppeared(watch)) return new CliError('interrupted', `stopped waiting; no ${name} yet`, { hint: resume });
  return new CliError('interrupted', `stopped waiting; ${name} continues`, { hint: resume, extra: { accepted: true } });
}

function lostContactError(progress: WaitProgress, error: CliError, nowMs: number): CliError {
  const { name, resume } = progress.watch;
  if (hasNotAppeared(progress.watch)) return error;
  const detail = progress.status ? ` (${lastSeenText(progress.status, progress, nowMs)})` : '';
  const message = `${name} can no longer be watched${detail}: ${error.why}`;
  // Only the check failed. The watched change was accepted, as `extra` says.
  return error.with({ hint: resume, why: undefined, extra: { accepted: true } }, message);
}

function hasNotAppeared({ exists }: Watch): boolean {
  return exists?.() === false;
}

interface WrittenChange extends Pick<ActiveWrite, 'operation' | 'input' | 'observer'> {
  /** The state before the change; undefined if the observer read none. */
  readonly snapshot: unknown;
  readonly answer: unknown;
}

/** Returns the watch of a sent change: of its action, else of its observer. Undefined if the answer is the result. */
export function createWrittenWatch(read: Read, writtenChange: WrittenChange): Watch | undefined {
  const { operation, input, observer, snapshot, answer } = writtenChange;
  const action = actionOfOperation(operation, answer);
  if (!action || observer?.watchesActions) return observer?.watch?.(read, input, { snapshot, answer });
  const watch = createQueuedWatch(read, stackUidOf(operation, input), action, effectCheckOf(read, writtenChange));
  return action.finished_at ? { ...watch, hasResult: true, check: async () => statusOf(action) } : watch;
}

function stackUidOf({ path }: Operation, input: WrittenChange['input']): string | undefined {
  const { stack_id, id } = input;
  if (typeof stack_id === 'string') return stack_id;
  // The service lists the actions of a cluster like the actions of a stack, so the id of the cluster works too.
  const [, segment] = /^\/(?:stacks|clusters)\/([^/]+)/.exec(path) ?? [];
  return segment === ':id' ? String(id) : segment && decodeURIComponent(segment);
}

function effectCheckOf(read: Read, { observer, input, snapshot }: WrittenChange): EffectCheck | undefined {
  const { check } = observer ?? {};
  if (!check || (observer?.snapshot && snapshot === undefined)) return undefined;
  return async () => {
    const match: unknown = await check(read, input, snapshot);
    return match !== undefined && !(match instanceof ProbableMatch);
  };
}
