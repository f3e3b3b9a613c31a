import type { Context } from '../../../contract/command.ts';
import { durationText } from '../../../contract/values/time.ts';
import { CliError } from '../../../errors/cli-error.ts';
import { tryOrWarn, whyText } from '../../../errors/try-or-warn.ts';
import type { HeldLock } from '../../../files/lock/held-lock.ts';
import { isFinal } from '../../deployment/watching.ts';
import type { CheckFinding, RampCheck } from './check.ts';
import type {
  Ask,
  Event,
  RampEffect,
  RampState,
  ReadOutcome,
  Rules,
  SetEffect,
  SetOutcome,
  Traffic,
} from './machine/state.ts';
import type { RampFiles, SavedRamp } from './ramp-file.ts';
import { type Canary, changeIn, polled, readRollout, sharesOf } from './read-canary.ts';
import { clockOf, type Reporter } from './report.ts';
import { setShare } from './share.ts';

export interface RampRun {
  readonly context: Context;
  readonly rules: Rules;
  readonly canary: Canary;
  readonly checks: readonly RampCheck[];
  readonly files: RampFiles;
  readonly saved: Pick<SavedRamp, 'started_at' | 'share_before' | 'options'>;
  readonly isNew: boolean;
  /** The environment of checks and event programs, in a state. */
  readonly envOf: (state: RampState) => Readonly<Record<string, string>>;
  readonly lock: HeldLock;
  readonly reporter: Reporter;
  state: RampState;
}

/** Carries out an effect and returns its event; undefined for a report, and for an effect that was stopped. */
export async function runEffect(
  ramp: RampRun,
  effect: RampEffect,
  state: RampState,
  stop: AbortSignal,
): Promise<Event | undefined> {
  switch (effect.kind) {
    case 'set':
      return { kind: 'set', outcome: await set(ramp, effect) };
    case 'check':
      return check(ramp, effect, state, stop);
    case 'read':
      return { kind: 'read', run: effect.run, observed: await read(ramp, state) };
    case 'ask':
      return ask(ramp, effect.question, state, stop);
    default:
      report(ramp, effect, state.share);
      return undefined;
  }
}

async function set(ramp: RampRun, effect: SetEffect): Promise<SetOutcome> {
  const { context } = ramp;
  const outcome = await setShare(ramp, effect);
  if (effect.why !== 'return' && (outcome.kind === 'unread' || outcome.kind === 'unseen')) {
    context.warn(`${effect.share} % is not shown at ${clockOf(context.now())}: ${outcome.cause.message}`);
  }
  return outcome;
}

async function check(
  { checks, files, reporter, envOf, context }: RampRun,
  { run, check: at }: RampEffect & { readonly kind: 'check' },
  state: RampState,
  stop: AbortSignal,
): Promise<Event | undefined> {
  const one = checks[at];
  const unable = (error: unknown): CheckFinding => ({ result: 'held', reason: whyText(error) });
  const found = await one?.run({ share: state.share, env: envOf(state) }, stop).catch(unable);
  if (stop.aborted || !one || !found) return undefined;
  const { result, reason, output, isNetwork = false, log = '' } = found;
  const head = `${context.now().toISOString()} ${one.name} at ${state.share} %: ${result} (${reason})`;
  await tryOrWarn(context.warn, 'the output of a check could not be kept', () => files.appendLog(`${head}\n${log}`));
  const line = result === 'failed' ? `check ${one.name} failed: ${reason}` : undefined;
  reporter.emit('check', { check: one.name, share: state.share, result, reason }, line);
  return { kind: 'checked', run, check: at, result, isNetwork, reason, output };
}

async function read({ context, canary }: RampRun, traffic: Traffic): Promise<ReadOutcome> {
  try {
    const rollout = await readRollout(context, canary.stack_id, polled);
    const observed = changeIn(rollout, canary, sharesOf(traffic));
    if (observed !== undefined) return { kind: 'changed', observed };
    const row = rollout.variants.find(({ uid }) => uid === canary.uid);
    return { kind: 'same', share: row?.percentage ?? traffic.share };
  } catch (error) {
    if (error instanceof CliError && isFinal(error)) return { kind: 'refused', cause: error };
    context.warn(`the service could not be read at ${clockOf(context.now())}: ${whyText(error)}`);
    return { kind: 'nothing', waitMs: context.rateLimit()?.forMs ?? 0 };
  }
}

async function ask(
  { context, rules, reporter, canary }: RampRun,
  question: Ask,
  state: RampState,
  signal: AbortSignal,
): Promise<Event | undefined> {
  const next = 'step' in state ? rules.steps[state.step + 1] : undefined;
  const onward = next === undefined ? `Make ${canary.uid} the active version` : `Set ${canary.uid} to ${next} %`;
  const text = question === 'step' ? `${onward}? [y/N]` : 'Pause or abort the ramp? [P/a]';
  reporter.emit('question', { reason: text, share: state.share });
  const input = (await context.ask?.(`${text} `, { signal }).catch(() => undefined))?.trim() ?? '';
  if (signal.aborted) return undefined;
  if (question === 'step' && /^y(es)?$/i.test(input)) return { kind: 'answered', question, answer: 'go' };
  return { kind: 'answered', question, answer: /^a(bort)?$/i.test(input) ? 'abort' : 'pause' };
}

function report(
  { canary, checks, reporter, rules }: RampRun,
  effect: RampEffect & { readonly kind: 'report' },
  share: number,
): void {
  if (effect.event === 'step_passed') {
    const step = effect.step + 1;
    reporter.emit('step_passed', { step, share }, `step ${step} of ${rules.steps.length} passed (${share} %)`);
    return;
  }
  if (effect.event === 'return_failed') {
    const { reason, waitMs } = effect;
    const line = `${canary.uid} is not back to ${rules.abortTo} %: ${reason}; next try in ${durationText(waitMs)}`;
    reporter.emit('return_failed', { share, reason }, line);
    return;
  }
  const { check, reason } = effect.failure;
  const name = checks[check]?.name ?? '';
  const line = effect.event === 'held' ? `check ${name} holds the step: ${reason}` : `check ${name} is good again`;
  reporter.emit(effect.event, { check: name, share, reason }, line);
}

/** The environment of checks and event programs; no credential is in it. */
export function environmentOf(canary: Canary, { steps }: Rules, shareBefore: number): RampRun['envOf'] {
  return (state) => {
    const at = 'step' in state ? state.step : steps.indexOf(state.share);
    // The share is still the one of the step before.
    const step = state.phase === 'setting' ? at - 1 : at;
    return {
      STACKOPS_STACK: canary.stack_id,
      STACKOPS_VARIANT: canary.uid,
      STACKOPS_COMMIT: canary.commit,
      STACKOPS_ACTIVE_COMMIT: canary.activeCommit ?? '',
      STACKOPS_STEP: String(step + 1),
      STACKOPS_SHARE: String(state.share),
      STACKOPS_SHARE_BEFORE: String(steps[step - 1] ?? shareBefore),
    };
  };
}
