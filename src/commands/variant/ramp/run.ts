import { durationText } from '../../../contract/values/time.ts';
import { asCliError, type CliError, tryOrWarn } from '../../../errors/cli-error.ts';
import { type RampRun, runEffect } from './effects.ts';
import { transition } from './machine/machine.ts';
import { dueAfter } from './machine/soak.ts';
import type { Ended, Event, Next, RampEffect, RampState, SettingShare, Signal, Soaking } from './machine/state.ts';
import type { SavedRamp } from './ramp-file.ts';
import { clockOf, statusLine } from './report.ts';

/** Maximum time between two looks for due checks and for a requested pause or abort. */
const pollMs = 1000;
const lineEveryMs = 60_000;

/** Runs a ramp to its end. A signal requests a pause or an abort, so it does not kill this process. */
export function runRamp(ramp: RampRun, effects: readonly RampEffect[]): Promise<Ended> {
  const loop = new RampLoop(ramp);
  const { context } = ramp;
  return context.host.programs.withSignalHandler(
    (signal) => loop.onSignal(signal),
    () =>
      context.during(
        () => loop.lineText(),
        () => loop.run(effects),
      ),
  );
}

/** Carries out the effects of the state machine, and gives their results to the machine as events. */
class RampLoop {
  private readonly ramp: RampRun;
  private readonly inbox: Event[] = [];
  private wake: () => void = () => undefined;
  private readonly runningEffects = new Set<Promise<void>>();
  /** Aborts the checks and reads in progress. */
  private checksController = new AbortController();
  private questionController = new AbortController();
  /** Time of day minus elapsed time at the last poll. A sleep of the machine changes the difference. */
  private clockOffsetMs: number;
  private polledMs: number;
  private lineMs: number;
  /** The last printed warning about unsaved state, so that no warning is printed twice in a row. */
  private lastWarning: string | undefined;

  constructor(ramp: RampRun) {
    this.ramp = ramp;
    this.clockOffsetMs = this.readClockOffset();
    this.polledMs = this.nowMs();
    this.lineMs = this.polledMs;
  }

  lineText(): string {
    const { canary, checks, rules } = this.ramp;
    return `${canary.uid} ${statusLine(this.state, rules, checks, this.nowMs())}`;
  }

  onSignal(signal: NodeJS.Signals): void {
    if (signal === 'SIGUSR1' || signal === 'SIGUSR2') return;
    if (this.state.phase === 'returning') {
      const { context, rules } = this.ramp;
      context.note(`the ramp ends once its traffic is back to ${rules.abortTo} %, or at --hold-limit`);
    }
    const by: Signal = signal === 'SIGINT' || signal === 'SIGHUP' ? signal : 'SIGTERM';
    const canAsk = by === 'SIGINT' && this.ramp.context.ask;
    this.push(canAsk ? { kind: 'interrupt' } : { kind: 'stop', how: this.ramp.saved.options.on_signal, by });
  }

  async run(effects: readonly RampEffect[]): Promise<Ended> {
    const { isNew, canary, reporter } = this.ramp;
    const unsaved = this.save();
    // A new ramp that cannot be saved does not start: `--resume` would find no ramp, or an older ramp.
    if (unsaved && isNew) throw unsaved.with({ nothing: 'changed' });
    reporter.emit('preflight', { variant: canary.uid, share: this.state.share });
    this.startAll(effects, unsaved);
    while (this.state.phase !== 'ended') {
      await this.poll();
      const event = this.inbox.shift();
      this.handle(event ?? { kind: 'tick' });
      if (!event) await this.nextEvent();
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

  private push(event: Event): void {
    this.inbox.push(event);
    this.wake();
  }

  private async nextEvent(): Promise<void> {
    if (this.inbox.length > 0 || this.state.phase === 'ended') return;
    const waker = new AbortController();
    this.wake = () => waker.abort();
    const { rules, context } = this.ramp;
    const ms = Math.min(pollMs, dueAfter(rules, this.state, this.nowMs()) - this.nowMs());
    await context.host.sleep(Math.max(1, ms), waker.signal).catch(() => undefined);
  }

  /**
   * Handles a pause of this process and a request from another process. Once a minute it renews the lock and prints the
   * status line.
   */
  private async poll(): Promise<void> {
    const { files, context, lock } = this.ramp;
    this.noticeGap();
    await tryOrWarn(context.warn, 'a request to this ramp could not be read', () => {
      const how = files.readRequest();
      if (!how) return;
      // `handle` saves the request with the state, so the request can be dropped afterwards.
      this.handle({ kind: 'stop', how, by: 'request' });
      files.dropRequest();
    });
    if (this.nowMs() - this.lineMs < lineEveryMs) return;
    lock.renew();
    this.lineMs = this.nowMs();
    // A terminal always shows the status line, so it gets no note.
    if (!context.redraws) context.note(`${clockOf(context.now())} ${this.lineText()}`);
  }

  /** Begins the step anew if no check could run because this process was stopped or the machine slept. */
  private noticeGap(): void {
    const { context, rules } = this.ramp;
    const [nowMs, offsetMs] = [this.nowMs(), this.readClockOffset()];
    const gapMs = Math.max(nowMs - this.polledMs, Math.abs(offsetMs - this.clockOffsetMs));
    this.polledMs = nowMs;
    this.clockOffsetMs = offsetMs;
    if (gapMs <= 2 * Math.max(rules.intervalMs, pollMs)) return;
    context.warn(`no check ran for ${durationText(gapMs)} until ${clockOf(context.now())}: the step begins anew`);
    this.handle({ kind: 'slept' });
  }

  private readClockOffset(): number {
    return this.ramp.context.now().getTime() - this.nowMs();
  }

  private handle(event: Event): void {
    this.enter(transition(this.ramp.rules, this.state, event, this.nowMs()));
  }

  private enter({ state, effects }: Next): void {
    const before = this.state;
    this.ramp.state = state;
    if (differ('run', before, state)) this.checksController = replaceController(this.checksController);
    if (differ('question', before, state)) this.questionController = replaceController(this.questionController);
    const isChanged = (['phase', 'share', 'mayHave', 'requested'] as const).some((key) => differ(key, before, state));
    const unsaved = isChanged ? this.save() : undefined;
    if (before.share !== state.share) this.reportShare(before.share);
    this.startAll(effects, unsaved);
  }

  private reportShare(shareBefore: number): void {
    const { canary, rules, reporter } = this.ramp;
    const { share, ...state } = this.state;
    this.lineMs = this.nowMs();
    const step = state.phase === 'soaking' ? { step: state.step + 1 } : {};
    const number = rules.steps.indexOf(share) + 1;
    const position = share < shareBefore ? '(taken back)' : `(step ${number} of ${rules.steps.length})`;
    reporter.emit('share_set', { share, ...step }, `${canary.uid} has ${share} % ${position}`);
  }

  /** Starts effects. If the state could not be saved, no request for a step or a commit is sent. */
  private startAll(effects: readonly RampEffect[], unsaved: CliError | undefined): void {
    if (unsaved && unsaved.message !== this.lastWarning) {
      this.lastWarning = unsaved.message;
      this.ramp.context.warn(`the state of the ramp could not be saved: ${unsaved.message}`);
    }
    for (const effect of effects) {
      const isOnward = effect.kind === 'set' && effect.why !== 'return';
      if (unsaved && isOnward) this.push({ kind: 'set', outcome: { kind: 'unsaved' } });
      else this.start(effect);
    }
  }

  /** Saves the state of the ramp. Returns the error if that fails, else undefined. */
  private save(): CliError | undefined {
    const { files, saved, context, rules, canary } = this.ramp;
    const { share, ...state } = this.state;
    const step = 'step' in state ? state.step : rules.steps.findLastIndex((one) => one <= share);
    try {
      files.save({
        version: 2,
        variant: canary.uid,
        commit: canary.commit,
        active_commit: canary.activeCommit,
        deployment: canary.newestDeployment,
        ...saved,
        updated_at: context.now().toISOString(),
        phase: savedPhaseOf(this.state),
        step,
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

  private start(effect: RampEffect): void {
    const stop = effect.kind === 'ask' ? this.questionController.signal : this.checksController.signal;
    const running = runEffect(this.ramp, effect, this.state, stop).then((event) => {
      this.runningEffects.delete(running);
      if (event) this.push(event);
    });
    this.runningEffects.add(running);
  }
}

type StateKey = keyof Soaking | keyof SettingShare;

function differ(key: StateKey, one: RampState, other: RampState): boolean {
  const valueIn = (state: RampState) => (state as Partial<Record<StateKey, unknown>>)[key];
  return valueIn(one) !== valueIn(other);
}

function replaceController(before: AbortController): AbortController {
  before.abort();
  return new AbortController();
}

const phasesOfUnknownEnds = { return: 'returning', commit: 'committing', step: 'ended', active: 'ended' } as const;

function savedPhaseOf(state: RampState): SavedRamp['phase'] {
  return state.phase === 'ended' && state.end.kind === 'unknown' ? phasesOfUnknownEnds[state.end.what] : state.phase;
}
