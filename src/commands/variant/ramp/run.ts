import { durationText } from '../../../contract/values/time.ts';
import { asCliError, type CliError, tryOrWarn } from '../../../errors/cli-error.ts';
import { type RampRun, runEffect } from './effects.ts';
import { nextEventMs, transition } from './machine/machine.ts';
import type { EndedState, Event, RampEffect, RampState, SettingShareState, Signal, Soaking } from './machine/state.ts';
import type { SavedRamp } from './ramp-file.ts';
import { clockTime, statusLine } from './report.ts';

/** Maximum time between two looks for due checks and for a requested pause or abort. */
const pollMs = 1000;
const statusLineIntervalMs = 60_000;

/** Runs a ramp to its end. A signal requests a pause or an abort, so it does not kill this process. */
export function runRamp(ramp: RampRun, effects: readonly RampEffect[]): Promise<EndedState> {
  const loop = new RampLoop(ramp);
  const { during, host } = ramp.context;
  return host.programs.withSignalHandler(loop.onSignal, () => during(loop.statusLineText, () => loop.run(effects)));
}

/** Carries out the effects of the state machine, and gives their results to the machine as events. */
class RampLoop {
  private readonly ramp: RampRun;
  private readonly inbox: Event[] = [];
  private waker = new AbortController();
  private readonly runningEffects = new Set<Promise<void>>();
  /** Aborts the checks and reads in progress. */
  private checksController = new AbortController();
  private questionController = new AbortController();
  /** Time of day minus elapsed time at the last poll. A sleep of the machine changes the difference. */
  private clockOffsetMs: number;
  private lastPollMs: number;
  private lastStatusLineMs: number;
  /** The last printed warning about unsaved state, so that no warning is printed twice in a row. */
  private lastWarning: string | undefined;

  constructor(ramp: RampRun) {
    this.ramp = ramp;
    this.clockOffsetMs = this.readClockOffset();
    this.lastPollMs = this.nowMs();
    this.lastStatusLineMs = this.lastPollMs;
  }

  readonly statusLineText = (): string => `${this.ramp.canary.uid} ${statusLine(this.ramp, this.nowMs())}`;

  readonly onSignal = (signal: NodeJS.Signals): void => {
    if (signal === 'SIGUSR1' || signal === 'SIGUSR2') return;
    const { context, rules, saved } = this.ramp;
    if (this.state.phase === 'returning') {
      context.note(`the ramp ends once its traffic is back to ${rules.abortTo} %, or at --hold-limit`);
    }
    const by: Signal = signal === 'SIGINT' || signal === 'SIGHUP' ? signal : 'SIGTERM';
    const canAsk = by === 'SIGINT' && context.ask;
    this.pushEvent(canAsk ? { kind: 'interrupt' } : { kind: 'stop', how: saved.options.on_signal, by });
  };

  async run(effects: readonly RampEffect[]): Promise<EndedState> {
    const { isNew, canary, reporter } = this.ramp;
    const saveError = this.saveState();
    // A new ramp that cannot be saved does not start: `--resume` would find no ramp, or an older ramp.
    if (saveError && isNew) throw saveError.with({ nothing: 'changed' });
    reporter.emit('preflight', { variant: canary.uid, share: this.state.share });
    this.startEffects(effects, saveError);
    while (this.state.phase !== 'ended') {
      await this.poll();
      const event = this.inbox.shift();
      this.handleEvent(event ?? { kind: 'tick' });
      if (!event) await this.waitForEvent();
    }
    this.checksController.abort();
    this.questionController.abort();
    await Promise.all(this.runningEffects);
    return this.state;
  }

  private get state(): RampState {
    return this.ramp.state;
  }

  private nowMs(): number {
    return this.ramp.context.elapsed();
  }

  private pushEvent(event: Event): void {
    this.inbox.push(event);
    this.waker.abort();
  }

  private async waitForEvent(): Promise<void> {
    if (this.inbox.length > 0 || this.state.phase === 'ended') return;
    this.waker = new AbortController();
    const { rules, context } = this.ramp;
    const ms = Math.min(pollMs, nextEventMs(rules, this.state, this.nowMs()) - this.nowMs());
    await context.host.sleep(Math.max(1, ms), this.waker.signal).catch(() => undefined);
  }

  /** Handles a pause of this process and another's request. Each minute renews the lock and prints the status line. */
  private async poll(): Promise<void> {
    const { files, context, lock } = this.ramp;
    this.noticeGap();
    await tryOrWarn(context.warn, 'a request to this ramp could not be read', () => {
      const how = files.readRequest();
      if (!how) return;
      // `handleEvent` saves the request with the state, so the request can be dropped afterwards.
      this.handleEvent({ kind: 'stop', how, by: 'request' });
      files.dropRequest();
    });
    if (this.nowMs() - this.lastStatusLineMs < statusLineIntervalMs) return;
    lock.renew();
    this.lastStatusLineMs = this.nowMs();
    // A terminal always shows the status line, so it gets no note.
    if (!context.redraws) context.note(`${clockTime(context.now())} ${this.statusLineText()}`);
  }

  /** Begins the step anew if no check could run because this process was stopped or the machine slept. */
  private noticeGap(): void {
    const { context, rules } = this.ramp;
    const [nowMs, offsetMs] = [this.nowMs(), this.readClockOffset()];
    const gapMs = Math.max(nowMs - this.lastPollMs, Math.abs(offsetMs - this.clockOffsetMs));
    this.lastPollMs = nowMs;
    this.clockOffsetMs = offsetMs;
    if (gapMs <= 2 * Math.max(rules.intervalMs, pollMs)) return;
    context.warn(`no check ran for ${durationText(gapMs)} until ${clockTime(context.now())}: the step begins anew`);
    this.handleEvent({ kind: 'slept' });
  }

  private readClockOffset(): number {
    return this.ramp.context.now().getTime() - this.nowMs();
  }

  private handleEvent(event: Event): void {
    const before = this.state;
    const { state, effects } = transition(this.ramp.rules, before, event, this.nowMs());
    const hasChanged = (key: keyof StateValues) => (before as StateValues)[key] !== (state as StateValues)[key];
    this.ramp.state = state;
    if (hasChanged('run')) this.checksController = replaceController(this.checksController);
    if (hasChanged('question')) this.questionController = replaceController(this.questionController);
    const isSavedStateChanged = (['phase', 'share', 'mayHave', 'requested'] as const).some(hasChanged);
    const saveError = isSavedStateChanged ? this.saveState() : undefined;
    if (before.share !== state.share) this.reportShare(before.share);
    this.startEffects(effects, saveError);
  }

  private reportShare(shareBefore: number): void {
    const { canary, rules, reporter } = this.ramp;
    const { state } = this;
    const { share } = state;
    this.lastStatusLineMs = this.nowMs();
    const stepText = `step ${rules.steps.indexOf(share) + 1} of ${rules.steps.length}`;
    const line = `${canary.uid} has ${share} % (${share < shareBefore ? 'taken back' : stepText})`;
    reporter.emit('share_set', { share, ...(state.phase === 'soaking' && { step: state.step + 1 }) }, line);
  }

  /** Starts effects. If the state could not be saved, no request for a step or a commit is sent. */
  private startEffects(effects: readonly RampEffect[], saveError: CliError | undefined): void {
    if (saveError && saveError.message !== this.lastWarning) {
      this.lastWarning = saveError.message;
      this.ramp.context.warn(`the state of the ramp could not be saved: ${saveError.message}`);
    }
    for (const effect of effects) {
      const isStepOrCommit = effect.kind === 'set' && effect.why !== 'return';
      if (saveError && isStepOrCommit) this.pushEvent({ kind: 'set', outcome: { kind: 'unsaved' } });
      else this.startEffect(effect);
    }
  }

  private saveState(): CliError | undefined {
    const { files, saved, context, rules, canary } = this.ramp;
    const { state } = this;
    const { share } = state;
    try {
      files.save({
        version: 2,
        variant: canary.uid,
        commit: canary.commit,
        active_commit: canary.activeCommit,
        deployment: canary.newestDeployment,
        ...saved,
        updated_at: context.now().toISOString(),
        phase: savedPhaseOf(state),
        step: 'step' in state ? state.step : rules.steps.findLastIndex((one) => one <= share),
        share,
        may_have: 'mayHave' in state ? state.mayHave : undefined,
        requested: 'requested' in state ? state.requested?.how : undefined,
        ended: state.phase === 'ended' ? state.end.kind : undefined,
      });
      return undefined;
    } catch (error) {
      return asCliError(error, 'internal');
    }
  }

  private startEffect(effect: RampEffect): void {
    const stop = effect.kind === 'ask' ? this.questionController.signal : this.checksController.signal;
    const runningEffect = runEffect(this.ramp, effect, stop).then((event) => {
      this.runningEffects.delete(runningEffect);
      if (event) this.pushEvent(event);
    });
    this.runningEffects.add(runningEffect);
  }
}

type StateValues = Partial<Record<keyof Soaking | keyof SettingShareState, unknown>>;

function replaceController(before: AbortController): AbortController {
  before.abort();
  return new AbortController();
}

const phasesOfUnknownEnds = { return: 'returning', commit: 'committing', step: 'ended', active: 'ended' } as const;

function savedPhaseOf(state: RampState): SavedRamp['phase'] {
  return state.phase === 'ended' && state.end.kind === 'unknown' ? phasesOfUnknownEnds[state.end.what] : state.phase;
}
