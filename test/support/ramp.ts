import type { CheckFinding, RampCheck } from '../../src/commands/variant/ramp/checks.ts';
import type { RampRun } from '../../src/commands/variant/ramp/effects.ts';
import { beginSteps } from '../../src/commands/variant/ramp/machine/machine.ts';
import type { RampEnd, RampRules, StopRequest } from '../../src/commands/variant/ramp/machine/state.ts';
import type { SavedRamp } from '../../src/commands/variant/ramp/ramp-file.ts';
import type { Canary } from '../../src/commands/variant/ramp/read-canary.ts';
import { runRamp } from '../../src/commands/variant/ramp/run.ts';
import type { Context } from '../../src/contract/command.ts';
import { CliError } from '../../src/errors/cli-error.ts';
import { deployments } from '../../src/resources/deployment.ts';
import { variants } from '../../src/resources/variant.ts';

/** Rules of a ramp whose checks begin after half a minute. */
export const usualRules: RampRules = {
  steps: [5, 25, 100],
  everyMs: 600_000,
  intervalMs: 30_000,
  initialDelayMs: 30_000,
  minChecks: 3,
  failureLimit: 0,
  holdLimitMs: 1_800_000,
  onFailure: 'abort',
  abortTo: 0,
  confirmSteps: false,
  commit: false,
  checkCount: 1,
};

/** Time that goes by only when everybody waits. */
export class Clock {
  nowMs = 0;
  /** How far the clock on the wall is ahead of the one that nobody can set. */
  wallMs = 0;
  /** Whether anybody waits for something else than time. */
  isBusy: () => boolean = () => false;
  /** Resolves when others have had their turn, before time goes by. */
  turn: () => Promise<unknown> = () => new Promise((resolve) => setImmediate(resolve));
  /** Called whenever all that is left to do is to wait. */
  waits: () => void = () => undefined;
  private timers: { readonly atMs: number; readonly ring: () => void }[] = [];

  at(atMs: number, ring: () => void): () => void {
    const timer = { atMs, ring };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((one) => one !== timer);
    };
  }

  sleep = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const stop = () => {
        cancel();
        reject(new Error('stopped'));
      };
      const cancel = this.at(this.nowMs + ms, () => {
        signal.removeEventListener('abort', stop);
        resolve();
      });
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
    });

  /** Lets time go by until the work is done. */
  async until<Value>(work: Promise<Value>, limitMs: number): Promise<Value> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    // Others have their turn before anybody hears that it failed.
    done.catch(() => undefined);
    for (;;) {
      do await this.turn();
      while (!isDone && this.isBusy());
      if (isDone) return done;
      this.waits();
      if (this.nowMs > limitMs) throw new Error(`it goes on after ${limitMs / 1000} s`);
      const next = this.timers.reduce<(typeof this.timers)[number] | undefined>(
        (first, one) => (first && first.atMs <= one.atMs ? first : one),
        undefined,
      );
      if (!next) continue;
      this.timers = this.timers.filter((one) => one !== next);
      this.nowMs = Math.max(this.nowMs, next.atMs);
      next.ring();
    }
  }
}

/** What befalls a request that changes something. */
export type PutFate = 'ok' | 'slow' | 'lost' | 'lost after' | 'late' | '503' | 'refuse' | 'commits';
export type ForeignChange = 'share' | 'commit' | 'gone' | 'hash' | 'deployment';

interface Row {
  readonly uid: string;
  variant_type: string;
  percentage: number;
  git_hash: string;
}

const commit = 'c'.repeat(40);
const activeCommit = 'a'.repeat(40);

/** A service in memory, and all that it was asked for. */
export class FakeService {
  readonly puts: { readonly share: number | 'commit'; readonly atMs: number }[] = [];
  readonly gets: number[] = [];
  /** What somebody else did, once a read has shown it. */
  isForeignSeen = false;
  /** The service wants no request before this time. */
  restUntilMs = 0;
  /** Called before a request that changes something is carried out. */
  check: (share: number | 'commit') => void = () => undefined;
  private readonly clock: Clock;
  private readonly putFates: Iterator<PutFate>;
  private readonly getFates: Iterator<boolean>;
  private rows: Row[];
  private newest = 7;
  private isForeign = false;

  constructor(clock: Clock, share: number, fates: { puts?: Iterable<PutFate>; gets?: Iterable<boolean> } = {}) {
    this.clock = clock;
    this.rows = [
      { uid: 'va-active', variant_type: 'active', percentage: 100, git_hash: activeCommit },
      { uid: 'va', variant_type: 'canary', percentage: share, git_hash: commit },
    ];
    this.putFates = (fates.puts ?? [])[Symbol.iterator]();
    this.getFates = (fates.gets ?? [])[Symbol.iterator]();
  }

  get share(): number | undefined {
    return this.rows.find(({ uid }) => uid === 'va')?.percentage;
  }

  get isActive(): boolean {
    return this.rows.some(({ uid, variant_type }) => uid === 'va' && variant_type === 'active');
  }

  foreign(change: ForeignChange): void {
    this.isForeign = true;
    const row = this.rows.find(({ uid }) => uid === 'va');
    if (change === 'gone') this.rows = this.rows.filter((one) => one !== row);
    if (change === 'deployment') this.newest += 1;
    if (!row) return;
    if (change === 'share') row.percentage = 77;
    if (change === 'hash') row.git_hash = 'b'.repeat(40);
    if (change === 'commit') this.activate(row);
  }

  call = async (operation: unknown, input: { operation?: string; canary_percentage?: number }): Promise<unknown> => {
    if (operation !== variants.update) return this.read(operation);
    const share = input.operation === 'commit' ? 'commit' : (input.canary_percentage ?? -1);
    this.puts.push({ share, atMs: this.clock.nowMs });
    this.check(share);
    return this.put(share);
  };

  rateLimit() {
    const forMs = this.restUntilMs - this.clock.nowMs;
    return forMs > 0 ? { why: 'the service asks to wait', forMs } : undefined;
  }

  private async read(operation: unknown): Promise<unknown> {
    this.gets.push(this.clock.nowMs);
    const isRead = this.getFates.next().value ?? true;
    if (!isRead) throw new CliError('unavailable', 'no connection');
    if (operation === deployments.list) {
      return [{ id: this.newest, outcome: { code: 1, meaning: 'success' }, finished_at: 'x', is_deploying: false }];
    }
    this.isForeignSeen ||= this.isForeign;
    return this.rows.map((row) => ({ ...row }));
  }

  private async put(share: number | 'commit'): Promise<unknown> {
    const fate = this.putFates.next().value ?? 'ok';
    const apply = () => this.apply(share);
    switch (fate) {
      case 'ok':
        apply();
        break;
      case 'slow':
        this.clock.at(this.clock.nowMs + 20_000, apply);
        break;
      case 'lost after':
        apply();
        throw new CliError('outcome_unknown', 'no response');
      case 'late':
        this.clock.at(this.clock.nowMs + 4_000, apply);
        throw new CliError('outcome_unknown', 'no response');
      case 'refuse':
        throw new CliError('rejected', 'not like this');
      case 'commits': {
        const row = this.rows.find(({ uid }) => uid === 'va');
        if (row) this.activate(row);
        break;
      }
      default:
        throw new CliError('outcome_unknown', 'out of order');
    }
    return { ok: true, message: 'done' };
  }

  private apply(share: number | 'commit'): void {
    const row = this.rows.find(({ uid }) => uid === 'va');
    // What somebody else did since stands.
    if (!row || this.isForeign || row.variant_type === 'active') return;
    if (share === 'commit') this.activate(row);
    else row.percentage = share;
  }

  private activate(row: Row): void {
    this.rows = this.rows.filter((one) => one === row);
    Object.assign(row, { variant_type: 'active', percentage: 100 });
  }
}

/** What a check finds, and after how many milliseconds. */
export type CheckOf = () => { readonly found: CheckFinding; readonly ms: number };

export interface RampPlay {
  readonly rules: RampRules;
  readonly share?: number;
  readonly puts?: Iterable<PutFate>;
  readonly gets?: Iterable<boolean>;
  readonly checks: readonly CheckOf[];
  readonly answers?: readonly { readonly typed: string; readonly ms: number }[];
  readonly onSignal?: StopRequest['how'];
  readonly from?: { readonly step: number; readonly share: number };
  /** Whether a state cannot be saved. */
  readonly isUnsaved?: (ramp: SavedRamp) => boolean;
  /** Things that happen by themselves. */
  readonly happens?: (parts: {
    readonly clock: Clock;
    readonly service: FakeService;
    readonly signal: (name: NodeJS.Signals) => void;
    readonly request: (how: StopRequest['how']) => void;
  }) => void;
  readonly checked?: (at: { readonly share: number; readonly check: number; readonly result: string }) => void;
}

export interface RampPlayed {
  readonly end: RampEnd;
  readonly share: number;
  readonly service: FakeService;
  readonly clock: Clock;
  readonly said: readonly string[];
  readonly saved: readonly SavedRamp[];
  readonly told: readonly string[];
}

const canary: Canary = { stack_id: 's', uid: 'va', commit, activeCommit, newestDeployment: 7 };

/** Runs a whole ramp against a service in memory: real loop, real machine, no time and no process. */
export async function playRamp(play: RampPlay): Promise<RampPlayed> {
  const { rules, share = 0, from } = play;
  const clock = new Clock();
  const service = new FakeService(clock, from?.share ?? share, play);
  const said: string[] = [];
  const saved: SavedRamp[] = [];
  const told: string[] = [];
  let hear: (signal: NodeJS.Signals) => void = () => undefined;
  let request: StopRequest['how'] | undefined;
  const answers = [...(play.answers ?? [])];
  const context = {
    host: {
      sleep: clock.sleep,
      programs: {
        withSignalHandler: (take: typeof hear, work: () => Promise<unknown>) => {
          hear = take;
          return work();
        },
      },
    },
    during: (_: unknown, work: () => Promise<unknown>) => work(),
    redraws: false,
    ask:
      play.answers &&
      (async (_: string, { signal }: { signal: AbortSignal }) => {
        const { typed, ms } = answers.shift() ?? { typed: 'n', ms: 60_000 };
        await clock.sleep(ms, signal).catch(() => undefined);
        return typed;
      }),
    call: service.call,
    note: (line: string) => said.push(line),
    warn: (line: string) => said.push(`warning: ${line}`),
    now: () => new Date(Date.parse('2026-05-04T12:00:00Z') + clock.nowMs + clock.wallMs),
    elapsed: () => clock.nowMs,
    deadline: () => new AbortController().signal,
    rateLimit: () => service.rateLimit(),
    dryRun: false,
    wait: false,
    keepGoing: false,
  } as unknown as Context;
  const checks = play.checks.map(
    (next, at): RampCheck => ({
      name: `check${at}`,
      about: '',
      requestsAt: () => 0,
      run: async (_, stop) => {
        const atShare = service.share ?? -1;
        const { found, ms } = next();
        await clock.sleep(ms, stop);
        play.checked?.({ share: atShare, check: at, result: found.result });
        return found;
      },
    }),
  );
  const ruled = { ...rules, checkCount: checks.length };
  const first = beginSteps(ruled, from?.share ?? share, 0);
  const ramp = {
    context,
    rules: ruled,
    canary,
    checks,
    files: {
      save: (ramp: SavedRamp) => {
        if (play.isUnsaved?.(ramp)) throw new CliError('internal', 'no space is left');
        saved.push(ramp);
      },
      readRequest: () => request,
      dropRequest: () => {
        request = undefined;
      },
      appendLog: async () => undefined,
    },
    lock: { renew: () => undefined, release: () => undefined },
    reporter: {
      emit: (event: string, _: unknown, line?: string) => {
        told.push(event);
        if (line !== undefined) said.push(line);
      },
      finish: async () => undefined,
    },
    isNew: !from,
    saved: { started_at: '', share_before: share, options: { stack_id: 's', on_signal: play.onSignal ?? 'pause' } },
    state: first.state,
    envOf: () => ({}),
  } as unknown as RampRun;
  play.happens?.({
    clock,
    service,
    signal: (name) => hear(name),
    request: (how) => {
      request = how;
    },
  });
  const ended = await clock.until(runRamp(ramp, first.effects), 48 * 3_600_000);
  return { end: ended.end, share: ended.share, service, clock, said, saved, told };
}

export const good: CheckFinding = { result: 'good', reason: 'exit code 0' };
export const failed: CheckFinding = { result: 'failed', reason: 'exit code 1' };
export const held: CheckFinding = { result: 'held', reason: 'exit code 75' };
export const lost: CheckFinding = { result: 'failed', reason: 'refused', isNetwork: true };
