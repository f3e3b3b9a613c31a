import fc from 'fast-check';
import { expect } from 'vitest';
import type { RampRules } from '../../../src/commands/variant/ramp/machine/state.ts';
import { scenarioProperty } from '../../support/property.ts';
import { type ForeignChange, failed, good, held, lost, type PutFate, playRamp } from '../../support/ramp.ts';

const minute = 60_000;

const rules = fc.record({
  steps: fc.constantFrom([5, 25, 100], [1, 2], [50], [10, 20, 30]),
  everyMs: fc.constantFrom(minute, 2 * minute),
  intervalMs: fc.constantFrom(10_000, 30_000),
  initialDelayMs: fc.constantFrom(0, 5_000),
  minChecks: fc.integer({ min: 1, max: 3 }),
  failureLimit: fc.constantFrom(0, 0, 1),
  holdLimitMs: fc.constantFrom(2 * minute, 5 * minute),
  onFailure: fc.constantFrom('abort' as const, 'abort' as const, 'pause' as const),
  abortTo: fc.constantFrom(0, 0),
  confirmSteps: fc.boolean(),
  commit: fc.boolean(),
});

const finding = fc.oneof(
  { weight: 5, arbitrary: fc.constant(good) },
  { weight: 1, arbitrary: fc.constantFrom(failed, held, held, lost) },
);
const run = fc.record({ found: finding, ms: fc.constantFrom(0, 100, 9_000, 40_000) });
const fate = fc.oneof(
  { weight: 3, arbitrary: fc.constant<PutFate>('ok') },
  {
    weight: 3,
    arbitrary: fc.constantFrom<PutFate>('slow', 'lost', 'lost after', 'late', '503', 'refuse', 'commits'),
  },
);
const isRead = fc.oneof({ weight: 20, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) });
const moment = fc.integer({ min: 0, max: 10 * minute });
/** Most of the time nothing. */
const rarely = <Value>(arbitrary: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });
const foreign = fc.constantFrom<ForeignChange>('share', 'commit', 'gone', 'hash', 'deployment');
const happenings = fc.record({
  foreign: rarely(fc.record({ atMs: moment, what: foreign })),
  signal: rarely(fc.record({ atMs: moment, name: fc.constantFrom('SIGINT', 'SIGTERM', 'SIGHUP') })),
  interrupt: rarely(fc.record({ atMs: moment, name: fc.constant('SIGINT') })),
  request: rarely(fc.record({ atMs: moment, how: fc.constantFrom('pause' as const, 'abort' as const) })),
  /** The process is stopped, and continued later. */
  stops: fc.array(fc.record({ atMs: moment, ms: fc.constantFrom(100, 50_000, 90_000, 3_600_000) }), { maxLength: 4 }),
  sleep: rarely(fc.record({ atMs: moment, ms: fc.constantFrom(90_000, -90_000, 3_600_000) })),
});

interface Scenario {
  readonly rules: Omit<RampRules, 'checkCount'>;
  readonly runs: readonly (readonly { readonly found: typeof good; readonly ms: number }[])[];
  readonly puts: readonly PutFate[];
  readonly gets: readonly boolean[];
  readonly happenings: typeof happenings extends fc.Arbitrary<infer Value> ? Value : never;
  readonly answers: readonly { readonly typed: string; readonly ms: number }[] | undefined;
  readonly onSignal: 'pause' | 'abort';
}

const scenario: fc.Arbitrary<Scenario> = fc.record({
  rules,
  runs: fc.array(fc.array(run, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 2 }),
  puts: fc.array(fate, { maxLength: 6 }),
  gets: fc.array(isRead, { maxLength: 60 }),
  happenings,
  answers: fc.option(
    fc.array(fc.record({ typed: fc.constantFrom('y', 'y', 'y', 'n', 'a', ''), ms: fc.constantFrom(0, 5_000, 70_000) })),
    { nil: undefined },
  ),
  onSignal: fc.constantFrom('pause' as const, 'abort' as const),
}) as fc.Arbitrary<Scenario>;

/** What may be sent, kept by the other side of the table. */
function createJudge({ steps, abortTo, minChecks, checkCount }: RampRules) {
  const none = () => Array.from({ length: checkCount }, () => ({ good: 0, last: '' }));
  const faults: string[] = [];
  let since = none();
  let allowed = -1;
  let isCommitted = false;
  const begin = (step: number, wanted: number | 'commit') => {
    const mayPass = since.every(({ good: count, last }) => count >= minChecks && last === 'good');
    if (step !== allowed + 1) faults.push(`${wanted} after step ${allowed}`);
    if (step > 0 && !mayPass) faults.push(`${wanted} before the checks were good`);
    allowed = step;
    since = none();
  };
  return {
    // The program would take what is thrown while it sends for a failure of the service.
    faults,
    step: () => Math.min(allowed, steps.length - 1),
    anew: () => {
      since = none();
    },
    found: (check: number, result: string) => {
      const before = since[check] ?? { good: 0, last: '' };
      since[check] = { good: before.good + (result === 'good' ? 1 : 0), last: result };
    },
    sent: (wanted: number | 'commit', isForeign: boolean) => {
      if (isForeign) faults.push(`${wanted} after a change of somebody else`);
      if (isCommitted) faults.push(`${wanted} after a commit`);
      isCommitted ||= wanted === 'commit';
      const step = wanted === 'commit' ? steps.length : steps.indexOf(wanted);
      // The way back, or the same once more after an answer that was lost.
      if (wanted !== abortTo && step !== allowed) begin(step, wanted);
    },
  };
}

scenarioProperty(
  'whatever happens, the share never exceeds the allowed step, and an end is what it says',
  [scenario],
  async ({ rules: given, runs, puts, gets, happenings: what, answers, onSignal }) => {
    const rules: RampRules = {
      ...given,
      confirmSteps: given.confirmSteps && answers !== undefined,
      checkCount: runs.length,
    };
    const turns = runs.map(() => 0);
    const judge = createJudge(rules);
    const { end, service, share } = await playRamp({
      rules,
      puts,
      gets,
      onSignal,
      ...(answers && { answers }),
      checks: runs.map((list, at) => () => {
        const turn = turns[at] ?? 0;
        turns[at] = turn + 1;
        return list[turn % list.length] ?? { found: good, ms: 0 };
      }),
      checked: ({ check, result }) => judge.found(check, result),
      happens: ({ clock, service: served, signal, request }) => {
        const { foreign, sleep, stops } = what;
        for (const { atMs, ms } of stops) {
          clock.at(atMs, () => {
            clock.nowMs += ms;
            // No result from before counts.
            if (ms > 2 * Math.max(rules.intervalMs, 1000)) judge.anew();
          });
        }
        if (foreign) clock.at(foreign.atMs, () => served.foreign(foreign.what));
        for (const one of [what.signal, what.interrupt]) {
          if (one) clock.at(one.atMs, () => signal(one.name as NodeJS.Signals));
        }
        if (what.request) clock.at(what.request.atMs, () => request(what.request?.how ?? 'pause'));
        if (sleep) {
          clock.at(sleep.atMs, () => {
            clock.wallMs += sleep.ms;
          });
        }
        served.check = (wanted) => judge.sent(wanted, served.isForeignSeen);
      },
    });
    expect(judge.faults).toEqual([]);
    const isTakenBack = (end.kind === 'failed' || end.kind === 'stopped') && end.how === 'abort';
    if (isTakenBack && !service.isForeignSeen && what.foreign === null) expect(service.share).toBe(rules.abortTo);
    if (isTakenBack) expect(share).toBe(rules.abortTo);
    if (end.kind === 'passed') expect([judge.step(), share]).toEqual([rules.steps.length - 1, rules.steps.at(-1)]);
    if (end.kind === 'committed') expect(service.isActive).toBe(true);
    if (end.kind === 'failed') expect(rules.onFailure).toBe(end.how);
    expect(service.puts.filter(({ share: sent }) => sent === 'commit').length).toBeLessThan(2);
  },
);
