import { describe, expect, test } from 'vitest';
import type { RampRules } from '../../../src/commands/variant/ramp/machine/state.ts';
import { unchanged } from '../../support/phrases.ts';
import {
  type CheckOf,
  failed,
  good,
  held,
  lost,
  type PutFate,
  playRamp,
  type RampPlay,
  usualRules as rules,
} from '../../support/ramp.ts';

const minute = 60_000;
const always: CheckOf = () => ({ found: good, ms: 200 });

/** Good until a time, then what is given. */
function play(more: Partial<Omit<RampPlay, 'rules'>> & { readonly rules?: Partial<RampRules> } = {}) {
  return playRamp({ checks: [always], ...more, rules: { ...rules, ...more.rules } });
}

test('a good canary gets its shares, each after its time', async () => {
  const { end, service, share, saved } = await play();
  expect([end.kind, share]).toEqual(['passed', 100]);
  expect(service.puts.map(({ share: sent }) => sent)).toEqual([5, 25, 100]);
  const times = service.puts.map(({ atMs }) => Math.floor(atMs / minute));
  expect(times).toEqual([0, 10, 20]);
  // Written before and after each request.
  expect(saved.map(({ phase, step, share: shown }) => `${phase} ${step} ${shown}`)).toEqual([
    'setting 0 0',
    'soaking 0 5',
    'setting 1 5',
    'soaking 1 25',
    'setting 2 25',
    'soaking 2 100',
    'ended 2 100',
  ]);
});

describe('a state that cannot be saved', () => {
  test.each(['setting', 'committing'] as const)('%s: stops before the request', async (phase) => {
    const { end, service, said, told } = await play({
      rules: { steps: [5, 25], everyMs: minute, commit: true },
      isUnsaved: (ramp) => [phase, 'ended'].includes(ramp.phase) && ramp.share > 0,
    });
    expect(service.puts.map(({ share }) => share)).toEqual(phase === 'setting' ? [5] : [5, 25]);
    expect(end).toEqual({ kind: 'unsaved' });
    expect(said.filter((line) => line.startsWith('warning'))).toEqual([
      'warning: the state of the ramp could not be saved: no space is left',
    ]);
    expect(told.filter((one) => one === 'step_passed')).toHaveLength(phase === 'setting' ? 1 : 2);
  });

  test('begins no ramp: nothing is there to go on with', async () => {
    const unsaved = await play({ isUnsaved: () => true }).catch((error: unknown) => error);
    expect(unsaved).toMatchObject({ kind: 'internal', message: `no space is left${unchanged}`, details: {} });
    expect(unsaved).not.toHaveProperty('details.hint');
    const { end, service } = await play({ from: { step: 0, share: 5 }, isUnsaved: ({ share }) => share === 5 });
    expect([end, service.puts]).toEqual([{ kind: 'unsaved' }, []]);
  });

  test('does not keep the traffic on a canary that fails', async () => {
    const { end, service, said } = await play({
      checks: [() => ({ found: failed, ms: 10 })],
      isUnsaved: (ramp) => ramp.phase !== 'setting',
    });
    expect([end.kind, service.share]).toEqual(['failed', 0]);
    expect(said).toContain('warning: the state of the ramp could not be saved: no space is left');
  });
});

test('while it waits it sends at most 4 requests a minute', async () => {
  const { service } = await play({ rules: { steps: [5], everyMs: 60 * minute } });
  const { gets } = service;
  const most = Math.max(...gets.map((atMs) => gets.filter((one) => one >= atMs && one < atMs + minute).length));
  // The first minute holds the request of the step, and what was read around it.
  const later = gets.filter((atMs) => atMs > minute);
  expect(Math.max(...later.map((atMs) => later.filter((one) => one >= atMs && one < atMs + minute).length))).toBe(4);
  expect(most).toBeLessThan(8);
  expect(gets.length / 60).toBeLessThan(4.2);
});

describe('a request for a share', () => {
  const first = async (...puts: readonly PutFate[]) => {
    const { end, service } = await play({ rules: { steps: [5], everyMs: minute }, puts });
    return [end.kind === 'unknown' ? `${end.kind} ${end.what}` : end.kind, service.puts.length];
  };

  test.each<[readonly PutFate[], string, number]>([
    [['slow'], 'passed', 1],
    [['lost after'], 'passed', 1],
    [['late'], 'passed', 1],
    [['lost'], 'passed', 2],
    [['503', 'lost'], 'passed', 3],
    [['lost', '503', 'lost'], 'unknown step', 3],
    [['refuse'], 'refused', 1],
    [['lost', 'refuse'], 'unknown step', 2],
    [['commits'], 'unknown active', 1],
  ])('%s: %s after %i', async (puts, end, count) => {
    expect(await first(...puts)).toEqual([end, count]);
  });

  test('on the way back the same holds, and the end says so', async () => {
    const back = async (...puts: readonly PutFate[]) => {
      const { end, service } = await play({
        rules: { steps: [5], everyMs: minute },
        puts: ['ok', ...puts],
        checks: [() => ({ found: failed, ms: 10 })],
      });
      return [end.kind, service.share, service.puts.length];
    };
    expect(await back('ok')).toEqual(['failed', 0, 2]);
    expect(await back('slow')).toEqual(['failed', 0, 2]);
    expect(await back('lost', '503', 'ok')).toEqual(['failed', 0, 4]);
    expect(await back('lost', 'lost', 'lost')).toEqual(['failed', 0, 5]);
    expect(await back('refuse', 'refuse', 'refuse', 'lost')).toEqual(['failed', 0, 6]);
    expect(await back('commits')).toEqual(['unknown', 100, 2]);
  });

  test('the way back is given up only after the longest hold', async () => {
    const { end, service, clock, said, told } = await play({
      rules: { steps: [5], everyMs: minute },
      puts: ['ok', ...Array.from({ length: 1000 }, (): PutFate => 'refuse')],
      checks: [() => ({ found: failed, ms: 10 })],
    });
    expect(end).toMatchObject({ kind: 'unknown', what: 'return', failure: { check: 0 } });
    const tries = told.filter((event) => event === 'return_failed').length;
    expect([service.share, service.puts.length, tries]).toEqual([5, 35, 33]);
    expect(Math.round(clock.nowMs / minute)).toBe(31);
    expect(said.filter((line) => line.includes('not back')).slice(0, 2)).toEqual([
      'va is not back to 0 %: not like this; next try in 5s',
      'va is not back to 0 %: not like this; next try in 10s',
    ]);
  });

  test('a commit is sent once, whatever comes of it', async () => {
    const ends = async (fate: PutFate) => {
      const { end, service } = await play({ rules: { steps: [5], everyMs: minute, commit: true }, puts: ['ok', fate] });
      return [end.kind, service.puts.length];
    };
    expect(await ends('ok')).toEqual(['committed', 2]);
    expect(await ends('lost after')).toEqual(['committed', 2]);
    expect(await ends('slow')).toEqual(['committed', 2]);
    expect(await ends('lost')).toEqual(['unknown', 2]);
    expect(await ends('503')).toEqual(['unknown', 2]);
    expect(await ends('refuse')).toEqual(['refused', 2]);
  });
});

test.each([
  ['share', 'variant va has 77 % now, not 5 %'],
  ['commit', 'variant va is the active version now'],
  ['gone', 'variant va is gone'],
  ['hash', `variant va is of commit ${'b'.repeat(7)} now`],
  ['deployment', 'deployment 8 was made'],
] as const)('what somebody else does (%s) ends it within 30 seconds, untouched', async (what, seen) => {
  const { end, service, clock } = await play({
    happens: ({ clock: time, service: served }) => {
      time.at(2.25 * minute, () => served.foreign(what));
    },
  });
  expect(end).toEqual({ kind: 'changed', observed: seen });
  expect(service.puts).toHaveLength(1);
  expect(clock.nowMs).toBeLessThanOrEqual(2.25 * minute + 31_000);
});

test('our own network is not the canary: it goes on when that works again, and ends untouched when it does not', async () => {
  const outage = (fromMs: number, toMs: number) => {
    let now = () => 0;
    function* gets() {
      for (;;) yield now() < fromMs || now() >= toMs;
    }
    return playRamp({
      rules: { ...rules, steps: [5] },
      gets: gets(),
      checks: [() => ({ found: now() >= fromMs && now() < toMs ? lost : good, ms: 10 })],
      happens: ({ clock }) => {
        now = () => clock.nowMs;
      },
    });
  };
  const short = await outage(3 * minute, 8 * minute);
  expect([short.end.kind, short.service.share]).toEqual(['passed', 5]);
  const long = await outage(3 * minute, 300 * minute);
  expect([long.end.kind, long.service.share, long.service.puts.length]).toEqual(['unreachable', 5, 1]);
  expect(Math.round(long.clock.nowMs / minute)).toBe(33);
});

test('a check that holds for ever pauses the ramp after the longest hold', async () => {
  const { end, share, clock, said } = await play({ checks: [always, () => ({ found: held, ms: 10 })] });
  expect([end.kind, share]).toEqual(['held', 5]);
  expect(Math.round(clock.nowMs / minute)).toBe(31);
  expect(said.filter((line) => line.includes('holds'))).toEqual(['check check1 holds the step: exit code 75']);
  expect(said[10]).toMatch(/^12:09:\d\d va 5 % {2}\[#{9}\.\] {2}1m left {2}check0 \d+ good; check1 0 good, \d+ held$/);
});

test('a machine that slept begins the step anew', async () => {
  const { service, said } = await play({
    rules: { steps: [5, 25] },
    happens: ({ clock }) => {
      clock.at(9 * minute, () => {
        clock.wallMs += 60 * minute;
      });
    },
  });
  expect(service.puts.map(({ atMs }) => Math.round(atMs / minute))).toEqual([0, 19]);
  expect(said.filter((line) => line.startsWith('warning'))).toEqual([
    'warning: no check ran for 1h until 13:09:00: the step begins anew',
  ]);
});

test('signals and requests end it in order', async () => {
  const ends = async (more: Partial<RampPlay>, happens: NonNullable<RampPlay['happens']>) => {
    const { end, service } = await play({ ...more, happens });
    return { ...end, share: service.share };
  };
  expect(await ends({}, ({ clock, signal }) => clock.at(minute, () => signal('SIGTERM')))).toMatchObject({
    how: 'pause',
    by: 'SIGTERM',
    share: 5,
  });
  expect(
    await ends({ onSignal: 'abort' }, ({ clock, signal }) => clock.at(minute, () => signal('SIGHUP'))),
  ).toMatchObject({
    how: 'abort',
    by: 'SIGHUP',
    share: 0,
  });
  expect(await ends({}, ({ clock, request }) => clock.at(minute, () => request('abort')))).toMatchObject({
    how: 'abort',
    by: 'request',
    share: 0,
  });
  // Without a terminal Ctrl-C is a signal like the others; at one it asks.
  expect(await ends({}, ({ clock, signal }) => clock.at(minute, () => signal('SIGINT')))).toMatchObject({
    how: 'pause',
  });
  const answers = [{ typed: 'a', ms: 5000 }];
  expect(await ends({ answers }, ({ clock, signal }) => clock.at(minute, () => signal('SIGINT')))).toMatchObject({
    how: 'abort',
    by: 'SIGINT',
    share: 0,
  });
});

test('a pause while a share is set says which share that is', async () => {
  const { said, share } = await play({
    puts: ['slow'],
    happens: ({ clock, signal }) => clock.at(5_000, () => signal('SIGTERM')),
  });
  expect([share, said]).toEqual([5, ['va has 5 % (step 1 of 3)']]);
});

test('a failure answers an open question', async () => {
  let asked = false;
  const { end, service } = await play({
    rules: { confirmSteps: true },
    answers: [{ typed: 'y', ms: 120 * minute }],
    checks: [() => ({ found: asked ? failed : good, ms: 10 })],
    happens: ({ clock }) => {
      clock.at(20 * minute, () => {
        asked = true;
      });
    },
  });
  expect([end.kind, service.share]).toEqual(['failed', 0]);
  expect(service.puts.map(({ share }) => share)).toEqual([5, 0]);
});
