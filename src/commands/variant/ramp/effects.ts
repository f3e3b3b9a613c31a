import { createObserver, send } from '../../../builders/execute/send.ts';
import type { Context } from '../../../contract/command.ts';
import { durationText } from '../../../contract/values/time.ts';
import { asCliError, CliError, expectCliError, tryOrWarn, whyText } from '../../../errors/cli-error.ts';
import type { HeldLock } from '../../../files/lock.ts';
import { isActiveVariant, type VariantRow, variants } from '../../../resources/variant.ts';
import { backoffMs, isFinalError } from '../../deployment/watching.ts';
import type { CheckFinding, RampCheck } from './checks.ts';
import {
  type Event,
  type MissedTry,
  maxSends,
  type QuestionKind,
  type RampEffect,
  type RampRules,
  type RampState,
  type ReadOutcome,
  type SetEffect,
  type SetOutcome,
} from './machine/state.ts';
import type { RampFiles, SavedRamp } from './ramp-file.ts';
import {
  activeVariantOf,
  type Canary,
  changeByOthers,
  pollOptions,
  possibleShares,
  readRollout,
  variantChangeByOthers,
} from './read-canary.ts';
import { clockTime, type RampEvent, type Reporter } from './report.ts';

export interface RampRun {
  readonly context: Context;
  readonly rules: RampRules;
  readonly canary: Canary;
  readonly checks: readonly RampCheck[];
  readonly files: RampFiles;
  readonly saved: Pick<SavedRamp, 'started_at' | 'share_before' | 'options'>;
  readonly isNew: boolean;
  readonly lock: HeldLock;
  readonly reporter: Reporter;
  state: RampState;
}

/** A ramp before its lock is taken. */
export type RampSetup = Omit<RampRun, 'lock' | 'reporter'>;

/** Carries out an effect in the present state. Returns its result as an event; undefined for a report or if stopped. */
export async function runEffect(ramp: RampRun, effect: RampEffect, stop: AbortSignal): Promise<Event | undefined> {
  if (effect.kind === 'set') return { kind: 'set', outcome: await runSetEffect(ramp, effect) };
  if (effect.kind === 'check') return runCheckEffect(ramp, effect, stop);
  if (effect.kind === 'read') return { kind: 'read', run: effect.run, observed: await runReadEffect(ramp) };
  if (effect.kind === 'ask') return runAskEffect(ramp, effect.question, stop);
  runReportEffect(ramp, effect);
  return undefined;
}

type EffectOf<Kind> = RampEffect & { readonly kind: Kind };

async function runSetEffect(ramp: RampRun, effect: SetEffect): Promise<SetOutcome> {
  const { context } = ramp;
  const trySet = async () => (await outcomeWithoutRequest(ramp, effect)) ?? requestAndAwait(ramp, effect);
  const outcome = await trySet().catch((error) => missedOutcome(ramp, 'unseen', asCliError(error, 'internal')));
  if (effect.why !== 'return' && (outcome.kind === 'unread' || outcome.kind === 'unseen')) {
    context.warn(`${effect.share} % is not shown at ${clockTime(context.now())}: ${outcome.cause.message}`);
  }
  return outcome;
}

async function runCheckEffect(ramp: RampRun, effect: EffectOf<'check'>, stop: AbortSignal): Promise<Event | undefined> {
  const { files, reporter, context } = ramp;
  const { share } = ramp.state;
  const { name, run: runCheck } = ramp.checks[effect.check] as RampCheck;
  const makeHeldFinding = (error: unknown): CheckFinding => ({ result: 'held', reason: whyText(error) });
  const finding = await runCheck({ share, env: environmentOf(ramp) }, stop).catch(makeHeldFinding);
  if (stop.aborted) return undefined;
  const { result, reason, output, isNetwork = false, log = '' } = finding;
  const logText = `${context.now().toISOString()} ${name} at ${share} %: ${result} (${reason})\n${log}`;
  await tryOrWarn(context.warn, 'the output of a check could not be kept', () => files.appendLog(logText));
  const line = result === 'failed' ? `check ${name} failed: ${reason}` : undefined;
  reporter.emit('check', { check: name, share, result, reason }, line);
  return { ...effect, kind: 'checked', result, isNetwork, reason, output };
}

async function runReadEffect({ context, canary, state }: RampRun): Promise<ReadOutcome> {
  try {
    const rollout = await readRollout(context, canary.stack_id, pollOptions);
    const observed = changeByOthers(rollout, canary, possibleShares(state));
    if (observed !== undefined) return { kind: 'changed', observed };
    const row = rollout.variants.find(({ uid }) => uid === canary.uid);
    return { kind: 'same', share: row?.percentage ?? state.share };
  } catch (error) {
    if (error instanceof CliError && isFinalError(error)) return { kind: 'refused', cause: error };
    context.warn(`the service could not be read at ${clockTime(context.now())}: ${whyText(error)}`);
    return { kind: 'nothing', waitMs: rateLimitMs(context) };
  }
}

async function runAskEffect(ramp: RampRun, question: QuestionKind, signal: AbortSignal): Promise<Event | undefined> {
  const { context, rules, reporter, canary, state } = ramp;
  const share = 'step' in state ? rules.steps[state.step + 1] : undefined;
  const actionText = share === undefined ? `Make ${canary.uid} the active version` : `Set ${canary.uid} to ${share} %`;
  const text = question === 'step' ? `${actionText}? [y/N]` : 'Pause or abort the ramp? [P/a]';
  reporter.emit('question', { reason: text, share: state.share });
  const input = (await context.ask?.(`${text} `, { signal }).catch(() => undefined))?.trim() ?? '';
  if (signal.aborted) return undefined;
  if (question === 'step' && /^y(es)?$/i.test(input)) return { kind: 'answered', question, answer: 'go' };
  return { kind: 'answered', question, answer: /^a(bort)?$/i.test(input) ? 'abort' : 'pause' };
}

function runReportEffect({ canary, checks, reporter, rules, state }: RampRun, effect: EffectOf<'report'>): RampEvent {
  const { share } = state;
  const { event } = effect;
  if (event === 'step_passed') {
    const step = effect.step + 1;
    return reporter.emit(event, { step, share }, `step ${step} of ${rules.steps.length} passed (${share} %)`);
  }
  if (event === 'return_failed') {
    const { reason, waitMs } = effect;
    const line = `${canary.uid} is not back to ${rules.abortTo} %: ${reason}; next try in ${durationText(waitMs)}`;
    return reporter.emit(event, { share, reason }, line);
  }
  const { check: index, reason } = effect.failure;
  const check = checks[index]?.name ?? '';
  const line = event === 'held' ? `check ${check} holds the step: ${reason}` : `check ${check} is good again`;
  return reporter.emit(event, { check, share, reason }, line);
}

/** Returns the environment of checks and event programs, without credentials. */
export function environmentOf({ canary, rules, saved, state }: RampSetup) {
  const index = 'step' in state ? state.step : rules.steps.indexOf(state.share);
  // While a share is being set, the canary still has the share of the step before.
  const step = state.phase === 'setting' ? index - 1 : index;
  return {
    STACKOPS_STACK: canary.stack_id,
    STACKOPS_VARIANT: canary.uid,
    STACKOPS_COMMIT: canary.commit,
    STACKOPS_ACTIVE_COMMIT: canary.activeCommit ?? '',
    STACKOPS_STEP: String(step + 1),
    STACKOPS_SHARE: String(state.share),
    STACKOPS_SHARE_BEFORE: String(rules.steps[step - 1] ?? saved.share_before),
  };
}

type RampTarget = Pick<RampRun, 'context' | 'canary'>;

/** The longest wait for the result of a request that the service accepted. */
const acceptedWaitMs = 60_000;
/** The longest wait after a lost response, or while the service cannot be read, if another request may follow. */
const lostWaitMs = 6_000;
const pollMs = 2_000;

/** Returns the outcome if no request is possible or needed. Undefined if the request is to be sent. */
async function outcomeWithoutRequest(target: RampTarget, effect: SetEffect): Promise<SetOutcome | undefined> {
  const { context, canary } = target;
  const { why, from, share, sends } = effect;
  const isReturn = why === 'return';
  const rollout = await readRollout(context, canary.stack_id, pollOptions, isReturn).catch(expectCliError);
  if (rollout instanceof CliError) return missedOutcome(target, isFinalError(rollout) ? 'rejected' : 'unread', rollout);
  const shareNow = shareIn(rollout.variants, canary);
  if (sends > 0 && isResultShown(rollout.variants, effect, canary)) return { kind: 'shown', share };
  const isAlreadyLow = isReturn && possibleShares(from).some((one) => one === shareNow && one <= share);
  if (isAlreadyLow) return { kind: 'shown', share: shareNow ?? share };
  const observed = changeByOthers(rollout, canary, [...possibleShares(from), ...(sends > 0 ? [share] : [])]);
  return observed === undefined ? undefined : { kind: 'changed', observed };
}

async function requestAndAwait(target: RampTarget, effect: SetEffect): Promise<SetOutcome> {
  const { context } = target;
  const failure = await sendRequest(target, effect).then(() => undefined, expectCliError);
  if (failure?.kind === 'unavailable') return missedOutcome(target, 'unread', failure);
  const isResponseLost = failure && ['outcome_unknown', 'interrupted'].includes(failure.kind);
  if (failure && !isResponseLost) return missedOutcome(target, 'rejected', failure);
  if (failure && rateLimitMs(context) > 0) return missedOutcome(target, 'unseen', failure);
  return awaitShown(target, effect, failure);
}

/** Sends the request. Like every write it is recorded in the journal, so `history undo` can restore a share. */
async function sendRequest({ context, canary }: RampTarget, effect: SetEffect): Promise<unknown> {
  const { stack_id, uid: id } = canary;
  const { why, from, share } = effect;
  const observer = createObserver(variants.update, async (read) =>
    isResultShown(await read(variants.list, { stack_id }), effect, canary),
  );
  if (why === 'commit') return send(context, variants.update, { stack_id, id, operation: 'commit' }, { observer });
  const replaces = [{ kind: 'share', key: `traffic of variant ${id}`, before: from.share, after: share }] as const;
  const input = { stack_id, id, operation: 'percentage', canary_percentage: share };
  return send(context, variants.update, input, { observer, replaces });
}

async function awaitShown(target: RampTarget, effect: SetEffect, failure: CliError | undefined): Promise<SetOutcome> {
  const { context } = target;
  const startMs = context.elapsed();
  for (;;) {
    const outcome = await readOutcome(target, effect, failure);
    if (!('waitMs' in outcome)) return outcome;
    const isResponseLost = failure !== undefined || outcome.kind === 'unseen';
    const limitMs = isResponseLost && isRepeatable(effect) ? lostWaitMs : acceptedWaitMs;
    if (context.elapsed() - startMs >= limitMs || outcome.waitMs > 0) return outcome;
    await context.host.sleep(backoffMs(pollMs, context.rateLimit()), new AbortController().signal);
  }
}

async function readOutcome(target: RampTarget, effect: SetEffect, failure: CliError | undefined): Promise<SetOutcome> {
  const { context, canary } = target;
  const { why, from, share } = effect;
  const rows = await context.call(variants.list, { stack_id: canary.stack_id }, pollOptions).catch(expectCliError);
  if (rows instanceof CliError) return missedOutcome(target, 'unseen', rows);
  if (isResultShown(rows, effect, canary)) return { kind: 'shown', share };
  if (isCanaryCommitted(rows, canary)) return { kind: 'unknown', what: 'active', why: 'it became the active version' };
  const observed = why === 'commit' ? undefined : variantChangeByOthers(rows, canary, [...possibleShares(from), share]);
  if (observed !== undefined) return { kind: 'changed', observed };
  return missedOutcome(target, 'old', failure ?? new CliError('outcome_unknown', 'the service does not show it'));
}

/** True if another request may follow. If none may, the result is awaited longer. */
function isRepeatable({ why, sends }: SetEffect): boolean {
  return why === 'return' || (why === 'step' && sends < maxSends - 1);
}

function isResultShown(rows: readonly VariantRow[], { why, share }: SetEffect, canary: Canary): boolean {
  return why === 'commit' ? isCanaryCommitted(rows, canary) : shareIn(rows, canary) === share;
}

function shareIn(rows: readonly VariantRow[], canary: Canary): number | undefined {
  return rows.find((one) => one.uid === canary.uid && !isActiveVariant(one))?.percentage;
}

export function isCanaryCommitted(rows: readonly VariantRow[], { commit, activeCommit }: Canary): boolean {
  return activeVariantOf(rows)?.git_hash === commit && activeCommit !== commit;
}

function missedOutcome({ context }: RampTarget, kind: MissedTry['kind'], cause: CliError): MissedTry {
  return { kind, cause, waitMs: rateLimitMs(context) };
}

function rateLimitMs(context: Context): number {
  return context.rateLimit()?.forMs ?? 0;
}
