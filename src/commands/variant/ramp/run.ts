import { CliError } from '../../../errors/cli-error.ts';
import { tryOrWarn, whyText } from '../../../errors/try-or-warn.ts';
import { transition } from './machine/machine.ts';
import { dueAfter } from './machine/soak.ts';
import type { Event, Next, RampEffect, RampState, Signal, Soaking } from './machine/state.ts';
import { clockOf, statusLine } from './report.ts';
import { type RampRun, runEffect } from './work.ts';

export type Ended = RampState & { readonly phase: 'ended' };

/** The most between two looks at what is due, and at requests to this ramp. */
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

/** The machine among the things of the world: it has done what the machine wants, and hands it what comes of it. */
class RampLoop {
  private readonly ramp: RampRun;
  private readonly inbox: Event[] = [];
  private wake: () => void = () => undefined;
  private readonly working = new Set<Promise<void>>();
  /** Ends what belongs to one run of the checks, or to one question. */
  private checking = new AbortController();
  private asking = new AbortController();
  private clockMs: number;
  private lineMs: number;
  /** Why its state could not be saved; said once. */
  private warned: string | undefined;

  constructor(ramp: RampRun) {
    this.ramp = ramp;
    this.clockMs = this.driftMs();
    this.lineMs = this.nowMs();
  }

  line(): string {
    const { canary, checks, rules } = this.ramp;
    return `${canary.uid} ${statusLine(this.state, rules, checks, this.nowMs())}`;
  }

  onSignal(signal: NodeJS.Signals): void {
    if (signal === 'SIGUSR1' || signal === 'SIGUSR2') return;
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
      this.take(transition(this.ramp.rules, this.state, event ?? { kind: 'tick' }, this.nowMs()));
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

  /** What nobody tells: a request of another process, a machine that slept, a minute that has passed. */
  private async poll(): Promise<void> {
    const { files, context, rules, lock } = this.ramp;
    const how = await tryOrWarn(context.warn, 'a request to this ramp could not be read', files.takeRequest);
    if (how) this.push({ kind: 'stop', how, by: 'request' });
    const driftMs = this.driftMs();
    if (Math.abs(driftMs - this.clockMs) > 2 * rules.intervalMs) {
      this.clockMs = driftMs;
      context.warn(`the clock jumped at ${clockOf(context.now())} (did this machine sleep?): the step begins anew`);
      this.push({ kind: 'slept' });
    }
    if (this.nowMs() - this.lineMs < lineEveryMs) return;
    lock.renew();
    this.lineMs = this.nowMs();
    // On a terminal the line is there all the time.
    if (!context.redraws) context.note(`${clockOf(context.now())} ${this.line()}`);
  }

  private driftMs(): number {
    return this.ramp.context.now().getTime() - this.nowMs();
  }

  private take({ state, effects }: Next): void {
    const before = this.state;
    this.ramp.state = state;
    if (differ('run', before, state)) this.checking = renewed(this.checking);
    if (differ('question', before, state)) this.asking = renewed(this.asking);
    const unsaved = before.phase !== state.phase || before.share !== state.share ? this.save() : undefined;
    if (before.share !== state.share) this.tellShare(before.share);
    this.startAll(effects, unsaved);
  }

  private tellShare(shareBefore: number): void {
    const { canary, rules, reporter } = this.ramp;
    const { share, ...state } = this.state;
    this.lineMs = this.nowMs();
    const step = state.phase === 'soaking' ? { step: state.step + 1 } : {};
    const at = rules.steps.indexOf(share) + 1;
    const place = share < shareBefore ? '(taken back)' : `(step ${at} of ${rules.steps.length})`;
    reporter.emit('share_set', { share, ...step }, `${canary.uid} has ${share} % ${place}`);
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

  /** Before and after each request that changes something; why not, where that fails. */
  private save(): CliError | undefined {
    const { files, saved, context, rules, canary } = this.ramp;
    const { phase, share } = this.state;
    const step = 'step' in this.state ? this.state.step : rules.steps.findLastIndex((one) => one <= share);
    try {
      files.save({
        version: 2,
        variant: canary.uid,
        commit: canary.commit,
        active_commit: canary.activeCommit,
        deployment: canary.deployment,
        ...saved,
        updated_at: context.now().toISOString(),
        phase,
        step,
        share,
        ended: this.state.phase === 'ended' ? this.state.end.kind : undefined,
      });
      return undefined;
    } catch (error) {
      return error instanceof CliError ? error : new CliError('internal', whyText(error));
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

function differ(key: 'run' | 'question', one: RampState, other: RampState): boolean {
  const of = (state: RampState) => (state as Partial<Soaking>)[key];
  return of(one) !== of(other);
}

function renewed(before: AbortController): AbortController {
  before.abort();
  return new AbortController();
}
