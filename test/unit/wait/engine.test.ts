import { describe, expect, test } from 'vitest';
import { TransportFailure } from '../../../src/contract/exchange.ts';
import type { Watch, WatchStatus } from '../../../src/contract/observe.ts';
import { durationText } from '../../../src/contract/values/time.ts';
import { CliError } from '../../../src/errors/cli-error.ts';
import { transportError } from '../../../src/http/response-error.ts';
import { type WaitOptions, watchToEnd } from '../../../src/writes/wait/engine.ts';
import { unsent } from '../../support/phrases.ts';
import { callOf } from '../../transcripts/http/calls.ts';

const running = (words: string): WatchStatus => ({ state: 'running', text: words, value: { words } });
const good: WatchStatus = { state: 'good', text: 'success', value: { outcome: 1 } };
const unreachable = new CliError('unavailable', 'the service failed (503)', { status: 503 });

const rest = (forMs: number) => ({ why: 'the service asks to wait (429)', forMs });

interface Course {
  /** What every check shows, the last one for ever. */
  readonly statuses: readonly (WatchStatus | CliError)[];
  readonly timeoutMs?: number;
  readonly pollMs?: number;
  /** Ctrl-C during this sleep, counted from 1. */
  readonly interruptedAt?: number;
  /** How long the service wants to be left alone after each check. */
  readonly rests?: readonly number[];
  /** What is watched never appears. */
  readonly isMissing?: boolean;
  /** The timer of the whole wait fires a moment before its last sleep is over. */
  readonly isOverFirst?: boolean;
}

/** Plays one wait on a clock of its own. */
async function play({ statuses, timeoutMs = 60_000, pollMs = 5_000, interruptedAt, rests = [], ...more }: Course) {
  const { isMissing, isOverFirst } = more;
  const stop = new AbortController();
  const over = new AbortController();
  const reported: string[] = [];
  const slept: number[] = [];
  let elapsedMs = 0;
  let checks = 0;
  const watch: Watch = {
    name: 'deployment 7',
    resume,
    ...(isMissing && { exists: () => false }),
    check: async () => {
      const status = statuses[Math.min(checks++, statuses.length - 1)];
      if (status instanceof CliError) throw status;
      return status ?? good;
    },
  };
  const waiting: WaitOptions = {
    timeoutMs,
    pollMs,
    elapsed: () => elapsedMs,
    sleep: async (ms) => {
      slept.push(ms);
      elapsedMs += ms;
      if (isOverFirst && elapsedMs >= timeoutMs) over.abort();
      if (slept.length === interruptedAt) stop.abort('SIGINT');
      stop.signal.throwIfAborted();
    },
    signal: stop.signal,
    timeLimitSignal: over.signal,
    rateLimit: () => (rests[checks - 1] ? rest(rests[checks - 1] ?? 0) : undefined),
    onChange: (words) => reported.push(words),
  };
  const end = await watchToEnd(watch, waiting).catch((error: unknown) => error);
  return { end, reported, slept, checks };
}

function problem(end: unknown) {
  if (!(end instanceof CliError)) throw new Error('it ended well');
  const { kind, message, details } = end;
  return { kind, message, hint: details.hint, partial: details.partial?.value };
}

const resume = { path: 'deployment wait', operands: ['7'], stack_id: 'shop' };

describe('watching to the end', () => {
  test('a good end returns the record in which it was seen; every change is reported once', async () => {
    const { end, reported, slept } = await play({
      statuses: [running('queued'), running('queued'), running('deploying'), running('deploying'), good],
    });
    expect(end).toEqual({ outcome: 1 });
    expect(reported).toEqual(['queued', 'deploying', 'success']);
    expect(slept).toEqual([5_000, 5_000, 5_000, 5_000]);
  });

  test('what has ended already is not waited for', async () => {
    const { end, slept } = await play({ statuses: [good] });
    expect([end, slept]).toEqual([{ outcome: 1 }, []]);
  });

  test('a bad end is operation_failed, with the record', async () => {
    const { end } = await play({
      statuses: [running('deploying'), { state: 'failed', text: 'out of memory', value: 1 }],
    });
    expect(problem(end)).toEqual({
      kind: 'operation_failed',
      message: 'deployment 7 failed: out of memory',
      hint: undefined,
      partial: 1,
    });
  });

  test('an end that nothing can show is pending at once, never done', async () => {
    const { end, checks } = await play({ statuses: [{ state: 'unseen', text: 'no record of it', value: 2 }] });
    expect(problem(end)).toEqual({
      kind: 'pending',
      message: 'cannot tell whether deployment 7 finished: no record of it',
      hint: resume,
      partial: 2,
    });
    expect(checks).toBe(1);
  });

  test('out of time is pending; the last check is at the very end', async () => {
    const { end, slept } = await play({ statuses: [running('deploying')], timeoutMs: 12_000 });
    expect(problem(end)).toEqual({
      kind: 'pending',
      message: 'deployment 7 has not finished after 12s (deploying); it continues',
      hint: resume,
      partial: { words: 'deploying' },
    });
    expect(slept).toEqual([5_000, 5_000, 2_000]);
  });

  test('Ctrl-C stops the waiting only', async () => {
    const { end, checks } = await play({ statuses: [running('deploying')], interruptedAt: 2 });
    expect(problem(end)).toEqual({
      kind: 'interrupted',
      message: 'stopped waiting; deployment 7 continues',
      hint: resume,
      partial: undefined,
    });
    expect(checks).toBe(2);
  });

  test.each([
    ['never appears', { timeoutMs: 12_000 }, 'not_found', 'no deployment 7 after 12s', resume],
    ['has not appeared at Ctrl-C', { interruptedAt: 2 }, 'interrupted', 'stopped waiting; no deployment 7 yet', resume],
    [
      'cannot be searched for',
      { statuses: [running('not found yet'), unreachable], timeoutMs: 600_000 },
      'unavailable',
      'the service failed (503)',
      undefined,
    ],
    [
      'was not searched for in time',
      { statuses: [unreachable], timeoutMs: 0 },
      'pending',
      'deployment 7 could not be read within 0s: the service failed (503)',
      resume,
    ],
  ])('nothing is said to continue that %s', async (_, course, kind, message, hint) => {
    const { end } = await play({ statuses: [running('not found yet')], isMissing: true, ...course });
    expect(problem(end)).toEqual({ kind, message, hint, partial: undefined });
  });

  test('a service in trouble is borne for a while, and left alone for longer each time', async () => {
    const { end, slept } = await play({
      statuses: [running('deploying'), unreachable, unreachable, unreachable, unreachable, good],
      timeoutMs: 600_000,
    });
    expect(end).toEqual({ outcome: 1 });
    expect(slept).toEqual([5_000, 10_000, 20_000, 40_000, 60_000]);
  });

  test('a wait that could not be read to its end says what was last seen, when, and why no more', async () => {
    const { end } = await play({ statuses: [running('deploying'), unreachable], timeoutMs: 12_000 });
    expect(problem(end)).toEqual({
      kind: 'pending',
      message: 'deployment 7 has not finished after 12s: last seen deploying 12s ago, then the service failed (503)',
      hint: resume,
      partial: { words: 'deploying' },
    });
  });

  const tooMany = new CliError('unavailable', 'rate limit reached (429); the service asks to wait 120 s');
  test('a service that asks to wait is left alone for so long, which is said and is no lost contact', async () => {
    const { end, slept, reported } = await play({
      statuses: [running('deploying'), ...Array<CliError>(6).fill(tooMany), running('deploying'), good],
      rests: [0, ...Array<number>(6).fill(120_000)],
      timeoutMs: 3_600_000,
    });
    expect(end).toEqual({ outcome: 1 });
    expect(slept).toEqual([5_000, ...Array(6).fill(120_000), 5_000]);
    expect(reported).toEqual(['deploying', tooMany.message, 'deploying', 'success']);
  });

  test('a service that asks to wait for longer than there is time ends the wait at once', async () => {
    const { end, slept } = await play({ statuses: [running('deploying'), tooMany], rests: [0, 3_600_000] });
    expect(problem(end)).toMatchObject({
      kind: 'pending',
      message: `deployment 7 has not finished after 5s: last seen deploying 5s ago, then ${tooMany.message}`,
    });
    expect(slept).toEqual([5_000]);
  });

  test('the fifth check in a row that fails is lost contact, which is no end', async () => {
    const { end, checks } = await play({ statuses: [running('deploying'), unreachable], timeoutMs: 600_000 });
    expect(problem(end)).toEqual({
      kind: 'unavailable',
      message: 'deployment 7 can no longer be watched (last seen deploying 2m ago): the service failed (503)',
      hint: resume,
      partial: undefined,
    });
    expect(checks).toBe(6);
  });

  test('a check that was not sent does not end what is watched', async () => {
    const refused = 'cannot connect to h:1 (ECONNREFUSED)';
    const failure = new TransportFailure('refused', refused, { sent: false, repeats: 'always' });
    const cut = transportError(callOf({}, { attempts: 4 }), failure);
    expect(cut.message).toBe(`${refused}${unsent} (4 attempts)`);
    expect(problem((await play({ statuses: [cut], timeoutMs: 600_000 })).end)).toMatchObject({
      message: 'deployment 7 can no longer be watched: cannot connect to h:1 (ECONNREFUSED) (4 attempts)',
    });
  });

  test('a refusal is no trouble that passes', async () => {
    const refused = new CliError('unauthenticated', 'the service rejected the token (401)', { status: 401 });
    const { end, checks } = await play({ statuses: [running('deploying'), refused] });
    expect(problem(end)).toMatchObject({
      kind: 'unauthenticated',
      message:
        'deployment 7 can no longer be watched (last seen deploying 5s ago): the service rejected the token (401)',
    });
    expect(checks).toBe(2);
  });
});

test.each([
  [0, '0s'],
  [900, '1s'],
  [45_000, '45s'],
  [60_000, '1m'],
  [125_000, '2m 5s'],
  [3_600_000, '1h'],
  [3_725_000, '1h 2m'],
])('%d ms are %s', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});

test('a wait that is over before its last check says what was seen, not that nobody answered', async () => {
  const course: Course = { statuses: [running('queued')], timeoutMs: 6_000, isOverFirst: true };
  const seen = await play(course);
  expect([seen.checks, problem(seen.end)]).toEqual([
    2,
    {
      kind: 'pending',
      message: 'deployment 7 has not finished after 6s (queued); it continues',
      hint: resume,
      partial: { words: 'queued' },
    },
  ]);
  const missing = await play({ ...course, isMissing: true });
  expect(problem(missing.end)).toMatchObject({ kind: 'not_found', message: 'no deployment 7 after 6s' });
});

test.each([
  [4_999, 'deployment 7 has not finished after 10s (queued); it continues'],
  [5_000, 'deployment 7 has not finished after 10s: last seen queued 10s ago, then no response'],
])('the end of the wait cuts a check off after %d ms', async (lateMs, message) => {
  const over = new AbortController();
  let elapsedMs = 0;
  let checks = 0;
  const check = () => {
    if (checks++ === 0) return Promise.resolve(running('queued'));
    elapsedMs += lateMs;
    over.abort();
    return new Promise<WatchStatus>(() => undefined);
  };
  const waiting: WaitOptions = {
    timeoutMs: 10_000,
    pollMs: 5_000,
    elapsed: () => elapsedMs,
    sleep: async (ms) => {
      elapsedMs += ms;
    },
    signal: new AbortController().signal,
    timeLimitSignal: over.signal,
    rateLimit: () => undefined,
    onChange: () => undefined,
  };
  const end = await watchToEnd({ name: 'deployment 7', resume, check }, waiting).catch((error: unknown) => error);
  expect(problem(end)).toEqual({ kind: 'pending', message, hint: resume, partial: { words: 'queued' } });
});

test('what never appeared before the last check got no answer has no record', async () => {
  const nothing: WatchStatus = { state: 'running', text: 'not found yet', value: undefined };
  const { end } = await play({ statuses: [nothing, unreachable], timeoutMs: 6_000, isMissing: true });
  expect(problem(end)).toEqual({
    kind: 'pending',
    message: 'no deployment 7 seen within 6s: the service failed (503)',
    hint: resume,
    partial: undefined,
  });
});

test('a check that hangs does not outlast the wait', async () => {
  const over = new AbortController();
  const watch: Watch = {
    name: 'deployment 7',
    resume,
    check: () => {
      over.abort();
      return new Promise(() => undefined);
    },
  };
  const never = async () => {
    throw new Error('there is nothing to sleep for');
  };
  const waiting: WaitOptions = {
    timeoutMs: 60_000,
    pollMs: 5_000,
    elapsed: () => 0,
    sleep: never,
    signal: new AbortController().signal,
    timeLimitSignal: over.signal,
    rateLimit: () => undefined,
    onChange: () => undefined,
  };
  expect(problem(await watchToEnd(watch, waiting).catch((error: unknown) => error))).toEqual({
    kind: 'pending',
    message: 'deployment 7 could not be read within 0s: no response',
    hint: resume,
    partial: undefined,
  });
});
