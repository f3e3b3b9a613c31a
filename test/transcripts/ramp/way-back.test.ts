import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Fate, type OddResponse, type Played, rampPlayer } from '../../support/ramp-process.ts';
import { run, temporaryFolder } from '../../support/stackops.ts';

const words =
  '--steps 25,100 --every 40s --interval 20s --initial-delay 5s --min-checks 2 --hold-limit 3m --check-url HEALTH -y';
/** Above this share the application fails: the ramp goes back from 100 %. */
const failAbove = 30;
const env = { STACKOPS_TIMEOUT: '2s' };

const json = (status: number, value: unknown, headers = {}): OddResponse => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  text: JSON.stringify(value),
});
const html = (status: number): OddResponse => ({
  status,
  headers: { 'content-type': 'text/html' },
  text: '<html><body>Bad day</body></html>',
});
const refusal = (status: number, headers = {}) => json(status, { error: 'x', details: 'not now' }, headers);
const plain = (status: number, headers = {}): OddResponse => ({ status, headers, text: '' });

const ways: readonly (readonly [name: string, fate: Fate])[] = [
  ...[400, 401, 403, 404, 405, 408, 409, 410, 422, 423].map((status) => [`${status}`, refusal(status)] as const),
  ...[500, 501, 502, 503, 504].map((status) => [`${status}`, refusal(status)] as const),
  ['429', refusal(429)],
  ['429 for 5 s', refusal(429, { 'retry-after': '5' })],
  ['429 for an hour', refusal(429, { 'retry-after': '3600' })],
  ['503 for an hour', refusal(503, { 'retry-after': '3600' })],
  ['the limit of the hour', 'throttled'],
  ['ok: false', json(200, { ok: false, message: 'not now' })],
  ['ok, and the old share shown', json(200, { ok: true, message: 'done' })],
  ['a list', json(200, [])],
  ['HTML', html(200)],
  ['HTML and 502', html(502)],
  ['nothing', plain(200)],
  ['204', plain(204)],
  ['a redirect', plain(302, { location: 'https://elsewhere.example/' })],
  ['a response that is cut', { ...json(200, { ok: true }), isCut: true }],
  ['no response', 'lost'],
  ['carried out without a response', 'reset'],
  ['silence', 'hang'],
];

const tries = ({ stdout }: Played) =>
  stdout
    .split('\n')
    .filter((line) => line.includes('"return_failed"'))
    .map((line) => JSON.parse(line));
const putsBack = ({ asked }: Played) => asked.filter(({ what }) => what === 'PUT 0');

describe('a way back that is answered with', () => {
  test.each(ways)('%s three times ends shown', async (name, fate) => {
    const play = await rampPlayer();
    let left = 3;
    const meets = (what: string) => {
      if (what !== 'PUT 0' || left === 0) return undefined;
      left -= 1;
      return fate;
    };
    const patient = words.replace('--hold-limit 3m', '--hold-limit 10m');
    const played = await play(patient, { failAbove, env, fate: (_, what) => meets(what) });
    expect([played.code, played.share], `${name}\n${played.stderr}`).toEqual([9, 0]);
    const isApplied = fate === 'reset';
    expect(putsBack(played).length).toBe(isApplied ? 1 : 4);
  });

  test.each(ways)('%s again and again is tried until the longest hold', async (name, fate) => {
    const play = await rampPlayer();
    if (fate === 'reset') return;
    const played = await play(`${words} --json`, {
      failAbove,
      env,
      fate: (_, what) => (what === 'PUT 0' ? fate : undefined),
    });
    expect([played.code, played.share], `${name}\n${played.stderr}`).toEqual([11, 100]);
    const error = JSON.parse(played.stderr.trimEnd().split('\n').at(-1) ?? '').error;
    expect(error.hint).toMatch(/^stackops variant weight va-canary 0 -y -s /);
    expect(error.message).toMatch(/^check 127.0.0.1:\d+ failed: status 500; va-canary may not have 0 %: /);
    const times = putsBack(played).map(({ atMs }) => atMs);
    const failures = tries(played);
    expect(failures.length).toBeGreaterThanOrEqual(2);
    expect(failures.every(({ share, reason }) => share === 100 && reason !== '')).toBe(true);
    // The last try is made when the hold is over.
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(2 * 60_000);
    // It continues with the way back.
    const [name1 = ''] = [...played.files.keys()].filter((one) => one.endsWith('.json'));
    expect(JSON.parse(played.files.get(name1) ?? '')).toMatchObject({ phase: 'returning', share: 100 });
  });
});

test.each<Fate>(['lost', 503, 'hang'])('a service that is down for five minutes (%s) gets it back', async (fate) => {
  const play = await rampPlayer();
  let fromMs: number | undefined;
  const played = await play(words.replace('--hold-limit 3m', '--hold-limit 10m'), {
    failAbove,
    env,
    fate: (_, what, atMs) => {
      if (what === 'PUT 0') fromMs ??= atMs;
      return fromMs !== undefined && atMs < fromMs + 300_000 ? fate : undefined;
    },
  });
  expect([played.code, played.share], played.stderr).toEqual([9, 0]);
  expect(played.stderr).toMatch(/\d\d:\d\d:\d\d va-canary is not back to 0 %: .*; next try in 1m\n/);
});

test('deployments that cannot be read do not stop it', async () => {
  const play = await rampPlayer();
  let isBack = false;
  const played = await play(words, {
    failAbove,
    env,
    reached: ({ at }) => {
      isBack ||= at === 'before PUT 100';
    },
    fate: (_, what) => (isBack && what === 'GET deployments' ? 500 : undefined),
  });
  expect([played.code, played.share], played.stderr).toEqual([9, 0]);
});

test('it is approved once, however often it is sent', async () => {
  const play = await rampPlayer();
  const folder = temporaryFolder();
  const [program, log] = [join(folder, 'approve'), join(folder, 'log')];
  const config = { STACKOPS_CONFIG_DIR: folder };
  writeFileSync(program, `#!/bin/sh\ncat >> ${log}\n`, { mode: 0o755 });
  expect((await run(['profile', 'set', `approve_command=${program}`], { env: config })).code).toBe(0);
  let left = 6;
  const played = await play(words, {
    failAbove,
    env: { ...env, ...config },
    fate: (_, what) => (what === 'PUT 0' && left-- > 0 ? refusal(422) : undefined),
  });
  expect([played.code, played.share, putsBack(played).length], played.stderr).toEqual([9, 0, 7]);
  expect(readFileSync(log, 'utf8').trimEnd().split('\n')).toHaveLength(1);
});

describe('while the request of a step is under way', () => {
  const answers: readonly Fate[] = [refusal(409), refusal(422), 503, 'lost', refusal(429)];

  test.each(answers)('an abort is carried out after %j', async (fate) => {
    const play = await rampPlayer();
    const played = await play(words, {
      env,
      reached: ({ at }, { request }) => {
        if (at === 'before PUT 100') request('abort');
      },
      fate: (_, what) => (what === 'PUT 100' ? fate : undefined),
    });
    expect([played.code, played.share], played.stderr).toEqual([9, 0]);
    expect(played.stderr).toContain('error: aborted: va-canary has 0 %\n');
  });

  test.each(answers)('a pause ends the ramp after %j', async (fate) => {
    const play = await rampPlayer();
    const played = await play(words, {
      env,
      reached: ({ at }, { request }) => {
        if (at === 'before PUT 100') request('pause');
      },
      fate: (_, what) => (what === 'PUT 100' ? fate : undefined),
    });
    expect([played.code, played.share], played.stderr).toEqual([8, 25]);
    expect(played.stderr).toMatch(/error: paused: va-canary keeps 25 %(?: or 100 %)?\n/);
  });

  test('an abort changes nothing after another user has set a share', async () => {
    const play = await rampPlayer();
    const played = await play(words, {
      env,
      reached: ({ at }, { request }) => {
        if (at === 'before PUT 100') request('abort');
      },
      fate: (_, what) => (what === 'PUT 100' ? { ...refusal(409), sets: 40 } : undefined),
    });
    expect([played.code, played.share], played.stderr).toEqual([6, 40]);
  });
});

test.each(['stopped', 'asleep'])('a step does not pass on checks from before this process was %s', async (how) => {
  const play = await rampPlayer();
  const played = await play(words, {
    happens: (clock) => {
      for (let atMs = 30_000; atMs < 600_000; atMs += 30_000) {
        clock.at(atMs, () => {
          if (how === 'stopped') clock.nowMs += 60_000;
          else clock.wallMs += 60_000;
        });
      }
    },
  });
  const times = played.asked.filter(({ what }) => what.startsWith('PUT ')).map(({ atMs }) => atMs);
  expect([played.code, times.length, (times[1] ?? 0) >= 600_000], played.stderr).toEqual([0, 2, true]);
  expect(played.stderr).toMatch(/warning: no check ran for \d+m until \d\d:\d\d:\d\d: the step begins anew\n/);
});

test('a ramp whose files cannot be removed ends as it did', async () => {
  const play = await rampPlayer();
  const played = await play(words, {
    reached: ({ at }, { folder }) => {
      if (at !== 'after PUT 100') return;
      for (const name of readdirSync(folder).filter((one) => /\.(json|lock)$/.test(one))) {
        rmSync(join(folder, name));
        mkdirSync(join(folder, name));
      }
    },
  });
  expect(played.code).toBe(0);
  expect(played.stderr).toMatch(/\nwarning: the state of the ramp is left: cannot write \S+\.json: .*\n/);
  expect(played.stderr).toMatch(/\nwarning: the lock of the ramp is left: cannot write \S+\.lock: .*\n/);
  expect(played.stderr).toContain('undo: stackops variant weight va-canary 10 -y');
});
