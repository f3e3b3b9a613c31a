import { durationText } from '../../../contract/values/time.ts';
import { asCliError, type CliError, tryOrWarn } from '../../../errors/cli-error.ts';
import { type RampRun, runEffect } from './effects.ts';
import { transition } from './machine/machine.ts';
import { dueAfter } from './machine/soak.ts';
import type { Ended, Event, Next, RampEffect, RampState, SettingShare, Signal, Soaking } from './machine/state.ts';
import type { SavedRamp } from './ramp-file.ts';
import { clockOf, statusLine } from './report.ts';

/** The longest time between two polls for requests and due checks. */
const pollMs = 1000;
const lineEveryMs = 60_000;

/** Runs a ramp to its end. Signals are taken as requests to end it in order, so that nothing is left half done. */
export function runRamp(ramp: RampRun, effects: readonly RampEffect[]): Promise<Ended> {
  const loop = new RampLoop(ramp);
  const { context } = ramp;
  return context.host.programs.withSignalHandler(
    (signal) => loop.onSignal(signal),
    () =>
      context.during(
        () => loop.line(),
        () => loop.run(effects),
      ),
  );
}

/** Runs the machine's effects and feeds the results back as events. */
class RampLoop {
  private readonly ramp: RampRun;
  private readonly inbox: Event[] = [];
  private wake: () => void = () => undefined;
  private readonly working = new Set<Promise<void>>();
  /** Ends one run of the checks, or one question. */
  private checking = new AbortController();
  private asking = new AbortController();
  private driftMs: number;
  private polledMs: number;
  private lineMs: number;
  /** The last warning about unsaved state, which is printed once. */
  private warned: string | undefined;

  constructor(ramp: RampRun) {
    this.ramp = ramp;
    this.driftMs = this.driftNow();
    this.polledMs = this.nowMs();
    this.lineMs = this.polledMs;
  }

  line(): string {
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
    const isAsked = by === 'SIGINT' && this.ramp.context.ask;
    this.push(isAsked ? { kind: 'interrupt' } : { kind: 'stop', how: this.ramp.saved.options.on_signal, by });
  }

  async run(effects: readonly RampEffect[]): Promise<Ended> {
    const { isNew, canary, reporter } = this.ramp;
    const unsaved = this.save();
    // A new ramp that cannot be saved is no ramp: `--resume` would find none, or an older one.
    if (unsaved && isNew) throw unsaved.with({ nothing: 'changed' });
    reporter.emit('preflight', { variant: canary.uid, share: this.state.share });
    this.startAll(effects, unsaved);
    while (this.state.phase !== 'ended') {
      await this.poll();
      const event = this.inbox.shift();
      this.handle(event ?? { kind: 'tick' });
      if (!event) await this.nextEvent();
    }
    this.checking.abort();
    this.asking.abort();
    await Promise.all(this.working);
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
    const woken = new AbortController();
    this.wake = () => woken.abort();
    const { rules, context } = this.ramp;
    const ms = Math.min(pollMs, dueAfter(rules, this.state, this.nowMs()) - this.nowMs());
    await context.host.sleep(Math.max(1, ms), woken.signal).catch(() => undefined);
  }

  /** Notices a gap, a request of another process, and the end of a minute. */
  private async poll(): Promise<void> {
    const { files, context, lock } = this.ramp;
    this.noticeGap();
    await tryOrWarn(context.warn, 'a request to this ramp could not be read', () => {
      const how = files.requested();
      if (!how) return;
      // A request is dropped once the saved state holds it.
      this.handle({ kind: 'stop', how, by: 'request' });
      files.dropRequest();
    });
    if (this.nowMs() - this.lineMs < lineEveryMs) return;
    lock.renew();
    this.lineMs = this.nowMs();
    // A terminal shows the line all the time.
    if (!context.redraws) context.note(`${clockOf(context.now())} ${this.line()}`);
  }

  /** While this process was stopped or the machine slept, no check ran; a sleep shows only in the time of day. */
  private noticeGap(): void {
    const { context, rules } = this.ramp;
    const [nowMs, driftMs] = [this.nowMs(), this.driftNow()];
    const gapMs = Math.max(nowMs - this.polledMs, Math.abs(driftMs - this.driftMs));
    this.polledMs = nowMs;
    this.driftMs = driftMs;
    if (gapMs <= 2 * Math.max(rules.intervalMs, pollMs)) return;
    context.warn(`no check ran for ${durationText(gapMs)} until ${clockOf(context.now())}: the step begins anew`);
    this.handle({ kind: 'slept' });
  }

  private driftNow(): number {
    return this.ramp.context.now().getTime() - this.nowMs();
  }

  private handle(event: Event): void {
    this.take(transition(this.ramp.rules, this.state, event, this.nowMs()));
  }

  private take({ state, effects }: Next): void {
    const before = this.state;
    this.ramp.state = state;
    if (differ('run', before, state)) this.checking = replaceController(this.checking);
    if (differ('question', before, state)) this.asking = replaceController(this.asking);
    const isChanged = (['phase', 'share', 'mayHave', 'requested'] as const).some((key) => differ(key, before, state));
    const unsaved = isChanged ? this.save() : undefined;
    if (before.share !== state.share) this.tellShare(before.share);
    this.startAll(effects, unsaved);
  }

  private tellShare(shareBefore: number): void {
    const { canary, rules, reporter } = this.ramp;
    const { share, ...state } = this.state;
    this.lineMs = this.nowMs();
    const step = state.phase === 'soaking' ? { step: state.step + 1 } : {};
    const at = rules.steps.indexOf(share) + 1;
    const position = share < shareBefore ? '(taken back)' : `(step ${at} of ${rules.steps.length})`;
    reporter.emit('share_set', { share, ...step }, `${canary.uid} has ${share} % ${position}`);
  }

  /** A step or a commit whose state cannot be saved is not sent; the way back is. */
  private startAll(effects: readonly RampEffect[], unsaved: CliError | undefined): void {
    if (unsaved && unsaved.message !== this.warned) {
      this.warned = unsaved.message;
      this.ramp.context.warn(`the state of the ramp could not be saved: ${unsaved.message}`);
    }
    for (const effect of effects) {
      const isOnward = effect.kind === 'set' && effect.why !== 'return';
      if (unsaved && isOnward) this.push({ kind: 'set', outcome: { kind: 'unsaved' } });
      else this.start(effect);
    }
  }

  /** Saves the state, before and after each request that changes something. Returns the error if that fails. */
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
        deployment: canary.deployment,
        ...saved,
        updated_at: context.now().toISOString(),
        phase: phaseAfter(this.state),
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
    const stop = effect.kind === 'ask' ? this.asking.signal : this.checking.signal;
    const working = runEffect(this.ramp, effect, this.state, stop).then((event) => {
      this.working.delete(working);
      if (event) this.push(event);
    });
    this.working.add(working);
  }
}

type Key = keyof Soaking | keyof SettingShare;

function differ(key: Key, one: RampState, other: RampState): boolean {
  const at = (state: RampState) => (state as Partial<Record<Key, unknown>>)[key];
  return at(one) !== at(other);
}

function replaceController(before: AbortController): AbortController {
  before.abort();
  return new AbortController();
}

const unknownPhases = { return: 'returning', commit: 'committing', step: 'ended', active: 'ended' } as const;

function phaseAfter(state: RampState): SavedRamp['phase'] {
  return state.phase === 'ended' && state.end.kind === 'unknown' ? unknownPhases[state.end.what] : state.phase;
}
