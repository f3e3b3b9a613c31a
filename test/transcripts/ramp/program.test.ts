import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Environment, ownEnvironment, programLine, runBuilt, start } from '../../support/built.ts';
import { unchanged, unsent } from '../../support/phrases.ts';
import { freshState, startSandbox, type TestSandbox, type TestSandboxOptions } from '../../support/sandbox.ts';
import { ownFolders, run, temporaryFolder } from '../../support/stackops.ts';

const stack = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
/** A ramp that takes two seconds a step. */
const quick = '--every 2s --interval 200ms --initial-delay 0s'.split(' ');

/** A sandbox that is served, and the environment of a machine that knows it. */
async function machine(options: TestSandboxOptions = {}) {
  const sandbox = await startSandbox({ now: () => new Date(), ...options });
  const state = temporaryFolder();
  const env = {
    ...ownEnvironment(),
    XDG_STATE_HOME: state,
    ...sandbox.env,
    STACKOPS_STACK: stack,
  };
  return { sandbox, env, state: join(state, 'stackops') };
}

const puts = ({ requests }: TestSandbox) =>
  requests.filter(({ method }) => method !== 'GET').map(({ body }) => JSON.parse(body).canary_percentage ?? 'commit');
/** Runs in this process, in which waiting takes no time, and today, as what the built program has left. */
const ran = (words: readonly string[], { env }: { readonly env: Environment }) =>
  run(words, { env, now: () => new Date() });
const ramp = (...words: readonly string[]) => ['variant', 'ramp', ...words];
const shareOf = async (env: Readonly<Record<string, string>>) =>
  Number(
    (await run(['variant', 'list', '--json', '--jq', '.[]|select(.variant_type=="canary").percentage'], { env }))
      .stdout,
  );

/** Begins a ramp, pauses it at 25 % and returns the path of its state. */
async function pausedRamp(env: Environment, state: string): Promise<string> {
  const running = start(ramp('--steps', '25,100', ...quick, '--check', 'true', '-y'), { env });
  await running.tells(/has 25 %/);
  running.kill('SIGTERM');
  await running.ended;
  const [file = ''] = readdirSync(join(state, 'ramp')).filter((one) => one.endsWith('.json'));
  return join(state, 'ramp', file);
}

test('a good canary is raised step by step, and each line says what happened', async () => {
  const { sandbox, env, state } = await machine();
  const { code, stdout, stderr } = await runBuilt(ramp('--steps', '25,100', ...quick, '--check', 'true', '-y'), {
    env,
  });
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'variant va-canary updated (10 % -> 100 %)\n' });
  const log = /output of the checks: (\S+)\n/.exec(stderr)?.[1] ?? '';
  expect(
    stderr.replaceAll(/\d\d:\d\d(:\d\d)?/g, 'T').replace(log, 'LOG'),
  ).toBe(`va-canary, commit 9d4e1f7, has 10 %. At the earliest:
  T 25 %, T 100 %, T UTC end
  check true every 200ms: true (exit 0 is good, 75 holds)
  requests a minute: 4 to the service
  after the first failure: back to 0 %
output of the checks: LOG
T va-canary has 25 % (step 1 of 2)
T step 1 of 2 passed (25 %)
T va-canary has 100 % (step 2 of 2)
T step 2 of 2 passed (100 %)
undo: stackops variant weight va-canary 10 -y -s ${stack}
make it the active version: stackops variant commit va-canary -s ${stack}
`);
  expect(puts(sandbox)).toEqual([25, 100]);
  expect(statSync(log).mode & 0o777).toBe(0o600);
  // Nothing is left to go on with.
  expect(readdirSync(join(state, 'ramp'))).toEqual([log.split('/').at(-1)]);
});

test('a failing check takes the traffic back: 9, with its last lines', async () => {
  const { sandbox, env, state } = await machine();
  const check = `sh -c 'echo secret \${STACKOPS_TOKEN:-none}; test $STACKOPS_SHARE -lt 100 || { echo no answer >&2; exit 1; }'`;
  const words = ramp('--steps', '25,100', ...quick, '--check', check, '-y', '--json');
  const { code, stdout, stderr } = await runBuilt(words, { env });
  expect(code).toBe(9);
  expect(puts(sandbox)).toEqual([25, 100, 0]);
  const events = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect([...new Set(events.map(({ event }) => event))]).toEqual([
    'preflight',
    'share_set',
    'check',
    'step_passed',
    'aborted',
    'ended',
  ]);
  expect(events.every(({ v, at }) => v === 1 && !Number.isNaN(Date.parse(at)))).toBe(true);
  const ended = events.at(-1);
  expect(ended).toMatchObject({
    exit_code: 9,
    share: 0,
    change: { uid: 'va-canary', change: 'updated', before: 10, after: 0 },
  });
  expect(ended.reason).toMatch(
    /^check sh failed \(step 2 of 2, 100 %\): exit code 1; va-canary has 0 %\nsecret none\nno answer$/,
  );
  // The token is handed to no check, and written nowhere.
  const files = readdirSync(state, { recursive: true, encoding: 'utf8' }).filter((one) => /\.\w+$/.test(one));
  const texts = files.map((one) => readFileSync(join(state, one), 'utf8')).join('');
  expect(texts + stdout + stderr).not.toContain(sandbox.token);
});

test('a share that somebody else sets ends it, untouched: 6', async () => {
  const { sandbox, env } = await machine();
  const gate = join(temporaryFolder(), 'gate');
  writeFileSync(gate, '');
  const check = `sh -c 'test -e ${gate} || exit 75'`;
  const running = start(ramp('--steps', '25,100', ...quick, '--check', check, '-y'), { env });
  await running.tells(/output of the checks/);
  rmSync(gate);
  await running.tells(/check sh holds the step: exit code 75/);
  expect((await run(['variant', 'weight', 'va-canary', '0', '-y'], { env })).code).toBe(0);
  writeFileSync(gate, '');
  const { code, stderr } = await running.ended;
  expect(stderr).toContain('error: variant va-canary has 0 % now, not 25 %; the ramp ended and changed nothing more\n');
  expect([code, puts(sandbox)]).toEqual([6, [25, 0]]);
});

test('one ramp runs at a time; another process sees it, pauses it, and it goes on later', async () => {
  const { sandbox, env, state } = await machine();
  const words = ramp(...'--steps 25,100 --every 60s --interval 200ms --initial-delay 0s --check true -y'.split(' '));
  const none = await run(ramp('--status'), { env });
  expect([none.code, none.stderr]).toEqual([
    3,
    `error: no ramp of this stack on this machine\nhint: stackops variant list -s ${stack}\n`,
  ]);
  expect((await run(ramp('--abort'), { env })).code).toBe(3);
  const running = start(words, { env });
  await running.tells(/has 25 %/);
  const second = await run(words, { env });
  expect(second.code).toBe(6);
  expect(second.stderr).toMatch(/^error: a ramp of this stack is running \(process \d+ on \S+\);.*\n/);
  const status = await run(ramp('--status'), { env });
  expect(status.stdout).toMatch(/^va-canary 25 %, step 1 of 2, running \(process \d+ on \S+\), began /);
  expect((await run(ramp('--pause'), { env })).stdout).toMatch(
    /^asked the ramp \(process \d+ .*\) to pause: va-canary 25 %/,
  );
  const paused = await running.ended;
  expect([paused.code, /error: (.*)\n/.exec(paused.stderr)?.[1]]).toEqual([8, 'paused: va-canary keeps 25 %']);
  expect((await run(ramp('--status'), { env })).stdout).toMatch(/^va-canary 25 %, step 1 of 2, stopped, began /);
  // The same step, with shorter times, so that it ends soon.
  const [file = ''] = readdirSync(join(state, 'ramp')).filter((one) => one.endsWith('.json'));
  const path = join(state, 'ramp', file);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const saved = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(path, JSON.stringify({ ...saved, options: { ...saved.options, every: 1000 } }));
  const resumed = await ran(ramp('--resume', '-y'), { env });
  expect([resumed.code, resumed.stdout]).toEqual([0, 'variant va-canary updated (10 % -> 100 %)\n']);
  expect(puts(sandbox)).toEqual([25, 100]);
});

test('a ramp that lost the race for its stack leaves the log of the other one alone', async () => {
  const { env } = await machine();
  let other: ReturnType<typeof start> | undefined;
  let [log, begun] = ['', ''];
  const lost = await run(ramp('--steps', '25', ...quick, '--check', 'true'), {
    env,
    terminal: 80,
    typed: ['y'],
    asked: async () => {
      other = start(ramp('--steps', '25', ...quick, '--every', '60s', '--check', 'true', '-y'), { env });
      log = (await other.tells(/output of the checks: (\S+)\n/))[1] ?? '';
      await expect.poll(() => existsSync(log), { timeout: 60_000 }).toBe(true);
      begun = readFileSync(log, 'utf8');
    },
  });
  expect([lost.code, lost.stderr]).toEqual([6, expect.stringContaining('a ramp of this stack is running')]);
  expect(begun).toMatch(/^\S+ true at 25 %: good/);
  expect(readFileSync(log, 'utf8').startsWith(begun)).toBe(true);
  other?.kill('SIGTERM');
  await other?.ended;
});

test('a ramp is shown and paused while the service is down, by the word that it was begun with', async () => {
  const { sandbox, env } = await machine();
  const begun = ramp(...'--steps 25,100 --every 60s --initial-delay 0s --check true -y -s shop'.split(' '));
  const running = start(begun, { env });
  await running.tells(/has 25 %/);
  await sandbox.close();
  expect((await run(ramp('--status', '-s', 'shop'), { env })).stdout).toMatch(/^va-canary 25 %, step 1 of 2, running /);
  const paused = await run(ramp('--pause', '-s', 'shop'), { env });
  expect([paused.code, paused.stderr]).toEqual([0, '']);
  const { code, stderr } = await running.ended;
  expect([code, /error: (.*)\n/.exec(stderr)?.[1]]).toEqual([8, 'paused: va-canary keeps 25 %']);
  const again = await run(ramp('--pause', '-s', 'shop'), { env });
  expect([again.code, again.stderr]).toEqual([
    3,
    `error: no ramp of this stack runs on this machine${unchanged}\nhint: stackops variant list -s shop\n`,
  ]);
  // Its traffic is taken back by requests.
  expect((await run(ramp('--abort', '-s', 'shop', '-y'), { env })).code).toBe(7);
});

test('an abort that is asked for ends it with 9, and the share is read back', async () => {
  const { sandbox, env } = await machine();
  const running = start(ramp('--steps', '25', '--every', '60s', '--interval', '1s', '--check', 'true', '-y'), { env });
  await running.tells(/has 25 %/);
  expect((await run(ramp('--abort'), { env })).code).toBe(0);
  const { code, stderr } = await running.ended;
  expect([code, /error: (.*)\n/.exec(stderr)?.[1]]).toEqual([9, 'aborted: va-canary has 0 %']);
  expect([puts(sandbox), await shareOf(env)]).toEqual([[25, 0], 0]);
});

test('a killed ramp leaves the share, frees its lock, and is resumed; another share is not', async () => {
  const { sandbox, env } = await machine();
  const words = ramp('--steps', '25,100', ...quick, '--check', 'true', '-y');
  const running = start(words, { env });
  await running.tells(/has 25 %/);
  running.kill('SIGKILL');
  await running.ended;
  expect(await shareOf(env)).toBe(25);
  expect((await run(ramp('--status'), { env })).stdout).toMatch(/^va-canary 25 %, step 1 of 2, interrupted, began /);
  await run(['variant', 'weight', 'va-canary', '30', '-y'], { env });
  const refused = await run(ramp('--resume'), { env });
  expect([refused.code, refused.stderr]).toEqual([
    6,
    `error: cannot resume: variant va-canary has 30 % now, not 25 %${unsent}\nhint: stackops variant list -s ${stack}\n`,
  ]);
  await run(['variant', 'weight', 'va-canary', '25', '-y'], { env });
  expect((await ran(ramp('--resume'), { env })).code).toBe(0);
  expect(puts(sandbox)).toEqual([25, 30, 25, 100]);
});

test.each([
  ['SIGTERM', 'pause', 25],
  ['SIGHUP', 'abort', 0],
  ['SIGINT', 'pause', 25],
] as const)('%s: %s, and the signal is raised again', async (signal, how, share) => {
  const { env } = await machine();
  const words = ramp('--steps', '25', '--every', '60s', '--check', 'true', '-y', '--on-signal', how);
  const running = start(words, { env });
  await running.tells(/has 25 %/);
  running.kill(signal);
  const ended = await running.ended;
  expect(ended.signal).toBe(signal);
  expect(ended.stderr).toContain(`error: ${how === 'pause' ? 'paused' : 'aborted'} (${signal}): va-canary`);
  expect(await shareOf(env)).toBe(share);
});

test('a signal before the ramp ends the checks, too', async () => {
  const { sandbox, env } = await machine();
  const pid = join(temporaryFolder(), 'pid');
  const check = `sh -c 'echo $$ > ${pid}.new; mv ${pid}.new ${pid}; exec sleep 60'`;
  const running = start(ramp('--steps', '25', '--every', '1s', '--check', check, '--check-timeout', '60s', '-y'), {
    env,
  });
  await expect.poll(() => existsSync(pid), { timeout: 60_000 }).toBe(true);
  running.kill('SIGTERM');
  expect(await running.ended).toMatchObject({
    signal: 'SIGTERM',
    stderr: `error: interrupted (SIGTERM)${unchanged}\n`,
  });
  expect(() => process.kill(Number(readFileSync(pid, 'utf8')), 0)).toThrow('ESRCH');
  expect(puts(sandbox)).toEqual([]);
});

test('a second signal before the ramp leaves no check behind that took the first one for nothing', async () => {
  const { env } = await machine();
  const folder = temporaryFolder();
  const [pid, told, check] = ['pid', 'told', 'check'].map((name) => join(folder, name)) as [string, string, string];
  const begin = `trap ': > ${told}' TERM; echo $$ > ${pid}.new; mv ${pid}.new ${pid}`;
  // A shell runs a trap at once only while it waits for a child in the background.
  writeFileSync(check, `#!/bin/sh\n${begin}\nwhile :; do sleep 1 & wait; done\n`, { mode: 0o755 });
  const running = start(ramp('--steps', '25', '--every', '1s', '--check', check, '--check-timeout', '60s', '-y'), {
    env,
  });
  await expect.poll(() => existsSync(pid), { timeout: 60_000 }).toBe(true);
  running.kill('SIGTERM');
  // Half a second after the first signal the check is killed, told or not.
  let isOver = false;
  const ended = running.ended.finally(() => {
    isOver = true;
  });
  await expect.poll(() => isOver || existsSync(told), { timeout: 60_000 }).toBe(true);
  for (const again of ['SIGTERM', 'SIGQUIT'] as const) running.kill(again);
  expect((await ended).signal).toBe('SIGTERM');
  expect(() => process.kill(Number(readFileSync(pid, 'utf8')), 0)).toThrow('ESRCH');
});

test('history undo gives back the share from before the ramp, unless somebody else has set another', async () => {
  const { sandbox, env } = await machine();
  expect((await ran(ramp('--steps', '25,100', ...quick, '--check', 'true', '-y'), { env })).code).toBe(0);
  const elsewhere = { ...env, ...ownFolders() };
  await run(['variant', 'weight', 'va-canary', '30', '-y'], { env: elsewhere });
  const refused = await ran(['history', 'undo', '-y'], { env });
  expect([refused.code, refused.stderr]).toEqual([6, expect.stringContaining('is now 30; the change left 100\n')]);
  await run(['variant', 'weight', 'va-canary', '100', '-y'], { env: elsewhere });
  const undone = await ran(['history', 'undo', '-y'], { env });
  expect([undone.code, undone.stdout]).toEqual([0, 'variant va-canary updated (100 % -> 10 %)\n']);
  expect(puts(sandbox)).toEqual([25, 100, 30, 100, 10]);
});

test.each(['--wait-timeout', '--poll'])('%s says nothing about a ramp: refused, and not in its help', async (flag) => {
  const { sandbox, env } = await machine();
  const { code, stderr } = await run(ramp('--steps', '25', ...quick, '--check', 'true', '-y', flag, '5s'), { env });
  expect([code, /error: (.*)\n/.exec(stderr)?.[1]]).toEqual([
    2,
    `${flag} does not apply: "variant ramp" has limits of its own`,
  ]);
  expect((await run(ramp('--help'), { env })).stdout).not.toContain(flag);
  expect(sandbox.requests).toEqual([]);
});

test('a ramp that the profile refuses to approve sends nothing: 5', async () => {
  const { sandbox, env } = await machine();
  const config = temporaryFolder();
  const asking = { ...env, STACKOPS_CONFIG_DIR: config };
  const approve = join(config, 'approve');
  writeFileSync(approve, '#!/bin/sh\necho not tonight >&2\nexit 1\n', { mode: 0o755 });
  expect((await run(['profile', 'set', `approve_command=${approve}`], { env: asking })).code).toBe(0);
  const { code, stderr } = await ran(ramp('--steps', '25', ...quick, '--check', 'true', '-y'), { env: asking });
  expect([code, /error: (.*)\n/.exec(stderr)?.[1]]).toEqual([5, `not approved: not tonight${unsent}`]);
  expect([puts(sandbox), await shareOf(env)]).toEqual([[], 10]);
});

test('traffic that was taken from a bad canary is not offered to it again', async () => {
  const { sandbox, env } = await machine();
  const check = `sh -c 'test $STACKOPS_SHARE -lt 25'`;
  const ended = await ran(ramp('--steps', '25,100', ...quick, '--check', check, '-y'), { env });
  expect([ended.code, ended.stderr.includes('undo: ')]).toEqual([9, false]);
  const undone = await ran(['history', 'undo', '-y'], { env });
  expect([undone.code, undone.stdout]).toEqual([6, '']);
  expect(puts(sandbox)).toEqual([25, 0]);
});

test('an abort that is asked for while approval is awaited counts', async () => {
  const { sandbox, env } = await machine();
  const config = temporaryFolder();
  const asking = { ...env, STACKOPS_CONFIG_DIR: config };
  const first = start(ramp('--steps', '25,100', '--every', '60s', '--check', 'true', '-y'), { env: asking });
  await first.tells(/has 25 %/);
  await run(ramp('--pause'), { env: asking });
  await first.ended;
  const approve = join(config, 'approve');
  const line = `STACKOPS_CONFIG_DIR=${temporaryFolder()} STACKOPS_TOKEN=${sandbox.token} ${programLine}`;
  writeFileSync(approve, `#!/bin/sh\n${line} variant ramp --abort >/dev/null\n`, { mode: 0o755 });
  expect((await run(['profile', 'set', `approve_command=${approve}`], { env: asking })).code).toBe(0);
  const { code, stderr } = await ran(ramp('--resume', '-y'), { env: asking });
  expect([code, /error: (.*)\n/.exec(stderr)?.[1]]).toEqual([9, 'aborted: va-canary has 0 %']);
  expect(puts(sandbox)).toEqual([25, 0]);
});

test('a commit follows the last step', async () => {
  const { sandbox, env } = await machine();
  const words = ramp('--steps', '100', ...quick, '--check', 'true', '-y', '--commit');
  const { code, stdout } = await ran(words, { env });
  expect([code, stdout]).toEqual([0, 'variant va-canary committed (commit d8b847d -> 9d4e1f7)\n']);
  expect(puts(sandbox)).toEqual([100, 'commit']);
});

test('programs are told of events, and their failure is a warning', async () => {
  const { env } = await machine();
  const folder = temporaryFolder();
  const words = (program: string) => ramp('--steps', '25', ...quick, '--check', 'true', '-y', '--on-event', program);
  const file = join(folder, 'events');
  const script = `cat >> ${file}; echo $STACKOPS_STEP >> ${file}.steps`;
  expect((await ran(words(`sh -c '${script}'`), { env })).code).toBe(0);
  const events = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).event);
  expect([...new Set(events)]).toEqual(['preflight', 'share_set', 'check', 'step_passed', 'ended']);
  // Before the first share is set there is no step.
  expect(readFileSync(`${file}.steps`, 'utf8')).toMatch(/^0\n(1\n)+$/);
  await run(['variant', 'weight', 'va-canary', '0', '-y'], { env });
  const failing = await ran(words('false'), { env });
  expect([failing.code, failing.stderr.includes('warning: --on-event failed (exit code 1)\n')]).toEqual([0, true]);
});

test('a state that cannot be saved pauses a ramp, begins no new one, and keeps no lock', async () => {
  const { sandbox, env, state } = await machine();
  const folder = join(state, 'ramp');
  const script = `for f in ${folder}/*.json; do if test -f $f; then rm $f; mkdir $f; fi; done`;
  const words = (check: string) => ramp('--steps', '25,100', ...quick, '--check', check, '-y');
  const paused = await ran([...words(`sh -c '${script}'`), '--json'], { env });
  expect([paused.code, paused.stdout.match(/"event":"(?:paused|ended)"/g)]).toEqual([
    8,
    ['"event":"paused"', '"event":"ended"'],
  ]);
  expect(JSON.parse(paused.stderr.split('\n').at(-2) ?? '').error).toMatchObject({
    message: 'paused: its state could not be saved; va-canary keeps 25 %',
    hint: `stackops variant ramp --resume -s ${stack}`,
  });
  const [file = ''] = readdirSync(folder).filter((one) => one.endsWith('.json'));
  await run(['variant', 'weight', 'va-canary', '10', '-y'], { env });
  const path = join(folder, file);
  const none = await run(words('true'), { env });
  expect([none.code, /error: .*\nhint: .*\n$/.exec(none.stderr)?.[0]]).toEqual([
    2,
    `error: cannot use ${path}: it is not a regular file${unchanged}\nhint: correct the file, or move it away: mv ${path} ${path}.bad\n`,
  ]);
  mkdirSync(`${path}.tmp-left`);
  const locked = await run(words('true'), { env });
  expect([locked.code, locked.stderr]).toEqual([1, expect.stringContaining(`error: cannot write ${path}: `)]);
  expect(readdirSync(folder).filter((one) => one.endsWith('.lock'))).toEqual([]);
  expect(puts(sandbox)).toEqual([25, 10]);
});

const usual = ['--steps', '25,100', '--every', '1s', '--check', 'true'];

test.each([
  [['--every', '1s', '--check', 'true'], 2, 'missing --steps 5,25,50,100'],
  [['--steps', '5', '--check', 'true'], 2, 'missing --every 10m'],
  [['--steps', '5', '--every', '1s'], 2, 'missing --check or --check-url'],
  [['--steps', '25,5', '--every', '1s', '--check', 'true'], 2, '--steps must ascend, not 25,5'],
  [['--steps', '0,5', '--every', '1s', '--check', 'true'], 2, '--steps must be between 1 and 100, not "0"'],
  [[...usual, '--abort-to', '25'], 2, '--abort-to must be below the first step (25 %), not 25 %'],
  [[...usual, '--interval', '5'], 2, '--interval must be a duration such as 90s, 5m, 8h or 7d, not "5"'],
  [[...usual, '--expect', 'x'], 2, '--expect needs --check-url'],
  [[...usual, '--check-url', 'http://x', '--requests', '3'], 2, '--requests needs --only-from'],
  [[...usual, '--check-url', 'http://a:b@x'], 2, '--check-url must not hold a user name or a password'],
  [[...usual, '--check-url', 'ftp://x'], 2, '--check-url must be an http or https address'],
  [[...usual, '--check', 'a | b'], 2, '--check must be a command without a shell, not "a | b"'],
  [[...usual, '--confirm-steps'], 2, `--confirm-steps needs a terminal${unchanged}`],
  [[...usual, '--status'], 2, '--status does not take --steps: it acts on the ramp of this stack'],
  [['--status', '--abort'], 2, 'use --status or --abort, not both'],
  [['va-none', ...usual], 3, 'variant "va-none" not found'],
  [['va-active', ...usual], 6, `variant "va-active" is active, not a canary${unsent}`],
  [
    ['--steps', '5,100', '--every', '1s', '--check', 'true'],
    6,
    `variant va-canary has 10 % already, and the first step is 5 %${unsent}`,
  ],
  [[...usual, '--check', 'false'], 9, `check false failed before the ramp: exit code 1${unchanged}`],
  [
    [...usual, '--check', "sh -c 'exit 1$STACKOPS_STEP'"],
    9,
    `check sh failed before the ramp: exit code 10${unchanged}`,
  ],
  [[...usual, '--check', "sh -c 'exit 75'"], 8, `check sh holds before the ramp: exit code 75${unchanged}`],
  [
    [...usual, '--check', '/no/such'],
    2,
    `check such could not start before the ramp: cannot run "/no/such": program not found${unchanged}`,
  ],
  [
    [...usual, '--read-only', '-y'],
    5,
    `"variant ramp" changes the service, and only reads are allowed (flag --read-only)${unsent}`,
  ],
] as const)('%j is refused: %i', async (words, code, message) => {
  const { sandbox, env } = await machine();
  const refused = await run(ramp(...words), { env });
  expect([refused.code, /error: (.*)\n/.exec(refused.stderr)?.[1]]).toEqual([code, message]);
  expect(puts(sandbox)).toEqual([]);
});

test('-n checks once and shows the schedule; nothing is sent', async () => {
  const { sandbox, env } = await machine();
  const dry = await run(ramp('--steps', '25,100', '--every', '10m', '--check', 'true', '-n'), { env });
  expect([dry.code, dry.stdout]).toEqual([
    0,
    `va-canary, commit 9d4e1f7, has 10 %. At the earliest:
  12:00 25 %, 12:10 100 %, 12:20 UTC end
  check true every 30s: true (exit 0 is good, 75 holds)
  requests a minute: 4 to the service
  after the first failure: back to 0 %
`,
  ]);
  const short = await run(
    ramp('--steps', '25,100', '--every', '20s', '--min-checks', '1', '--initial-delay', '5s', '--check', 'true', '-n'),
    { env },
  );
  expect(short.stdout).toContain('  12:00:00 25 %, 12:00:20 100 %, 12:00:40 UTC end\n');
  // Three checks take longer: 30 s, and twice 30 s.
  const slow = await run(ramp('--steps', '25,100', '--every', '2s', '--check', 'true', '-n'), { env });
  expect(slow.stdout).toContain('  12:00:00 25 %, 12:01:30 100 %, 12:03:00 UTC end\n');
  expect(puts(sandbox)).toEqual([]);
});

test('an expression of jq is refused: while it runs, no signal is heard', async () => {
  const { env } = await machine();
  const { code, stderr } = await run(ramp(...usual, '--jq', '.'), { env });
  expect([code, JSON.parse(stderr).error.message]).toEqual([
    2,
    '--jq does not apply: each event is printed as it comes',
  ]);
});

test('it asks once; a protected profile wants the name', async () => {
  const { sandbox, env } = await machine();
  const no = await run(ramp(...usual), { env });
  expect([no.code, no.stderr.split('\n').at(-3)]).toEqual([
    2,
    `error: "variant ramp" needs -y (no terminal)${unchanged}`,
  ]);
  const answered = await run(ramp(...usual, '--commit'), { env, terminal: 80, typed: ['n'] });
  expect(answered.code).toBe(1);
  expect(answered.stderr).toContain(
    'Ramp va-canary of shop/production from 10 % to 100 % and commit it (commit 9d4e1f7)? The commit is final. [y/N] ',
  );
  await run(['profile', 'set', 'protected=true'], { env });
  const guarded = await run(ramp(...usual, '-y'), { env });
  expect(guarded.stderr).toContain('needs --confirm va-canary (protected profile, no terminal);');
  expect(puts(sandbox)).toEqual([]);
});

test('a ramp that others could have changed is not resumed', async () => {
  const { sandbox, env, state } = await machine();
  const marker = join(state, 'planted');
  const path = await pausedRamp(env, state);
  const saved = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(
    path,
    JSON.stringify({ ...saved, options: { ...saved.options, check: [`touch ${marker}`], steps: [99] } }),
  );
  chmodSync(path, 0o622);
  const refused = {
    code: 2,
    stdout: '',
    stderr: `error: the ramp is not resumed: others could write ${path}\nhint: stackops variant ramp --status -s ${stack}\n`,
  };
  const warning = `warning: ${path} could be changed by other users; its permissions are now 0600\n`;
  const first = await run(ramp('--resume', '-y'), { env });
  expect(first).toMatchObject({ ...refused, stderr: warning + refused.stderr });
  expect(await run(ramp('--resume', '-y'), { env })).toMatchObject(refused);
  expect([puts(sandbox), existsSync(marker)]).toEqual([[25], false]);
});

test('a resumed ramp shows its checks and the rest of its schedule', async () => {
  const { env, state } = await machine();
  await pausedRamp(env, state);
  const { stdout } = await ran(ramp('--resume', '-y', '-n'), { env });
  expect(stdout.replaceAll(/\d\d:\d\d(:\d\d)?/g, 'T')).toBe(`would resume the ramp of va-canary at 25 %
va-canary, commit 9d4e1f7, has 25 %. At the earliest:
  T 25 %, T 100 %, T UTC end
  check true every 200ms: true (exit 0 is good, 75 holds)
  requests a minute: 4 to the service
  after the first failure: back to 0 %
`);
});

test.each([
  ['share', { share: '25' }, '"share" is missing or of another type'],
  ['step', { step: undefined }, '"step" is missing or of another type'],
  ['options', { options: { stack_id: stack } }, '"options" is missing or of another type'],
  ['stack', { stack_id: 'f'.repeat(32) }, 'it is of another stack'],
] as const)('a state with another %s is refused', async (_, changes, reason) => {
  const { sandbox, env, state } = await machine();
  const path = await pausedRamp(env, state);
  const saved = JSON.parse(readFileSync(path, 'utf8'));
  const { stack_id = saved.options.stack_id, ...others } = changes as Record<string, unknown>;
  writeFileSync(path, JSON.stringify({ ...saved, options: { ...saved.options, stack_id }, ...others }));
  const { code, stderr } = await run(ramp('--resume', '-y'), { env });
  const hint = `hint: correct the file, or move it away: mv ${path} ${path}.bad\n`;
  expect([code, stderr]).toEqual([2, `error: cannot use ${path}: ${reason}\n${hint}`]);
  expect(puts(sandbox)).toEqual([25]);
});

test('--abort takes the traffic of a stopped ramp back, after a question; --status names the command', async () => {
  const { sandbox, env: machineEnv, state } = await machine();
  const env = { ...machineEnv, STACKOPS_STACK: 'shop' };
  await pausedRamp(env, state);
  const status = await run(ramp('--status'), { env });
  expect(status.stderr).toBe(`take the traffic back: stackops variant ramp --abort -s shop\n`);
  const dry = await run(ramp('--abort', '-n'), { env });
  expect([dry.code, dry.stdout]).toEqual([0, 'would take the traffic of va-canary back from 25 % to 0 %\n']);
  const no = await run(ramp('--abort'), { env, terminal: 80, typed: ['n'] });
  expect([no.code, no.stderr]).toEqual([
    1,
    expect.stringContaining('Take the traffic of va-canary back from 25 % to 0 % in shop/production (commit 9d4e1f7'),
  ]);
  const aborted = await ran(ramp('--abort', '-y'), { env });
  expect([aborted.code, aborted.stdout]).toEqual([0, 'variant va-canary updated (25 % -> 0 %)\n']);
  expect(puts(sandbox)).toEqual([25, 0]);
  expect((await run(['history', 'list', '--jq', '.[].stack_name'], { env })).stdout).toBe('shop\nshop\n');
  expect((await run(ramp('--abort', '-y'), { env })).code).toBe(3);
});

test('--abort of a stopped ramp changes nothing after another user has set a share', async () => {
  const { sandbox, env, state } = await machine();
  await pausedRamp(env, state);
  await run(['variant', 'weight', 'va-canary', '30', '-y'], { env });
  const { code, stderr } = await run(ramp('--abort', '-y'), { env });
  expect([code, /error: (.*)\n/.exec(stderr)?.[1]]).toEqual([
    6,
    'cannot abort: variant va-canary has 30 % now, not 25 %; nothing was sent',
  ]);
  expect(puts(sandbox)).toEqual([25, 30]);
});

test('a canary without a share is not ramped', async () => {
  const state = freshState();
  const canary = state.stacks.flatMap(({ variants }) => variants).find(({ uid }) => uid === 'va-canary');
  Object.assign(canary ?? {}, { percentage: null });
  const { env } = await machine({ state });
  const { code, stderr } = await run(ramp(...usual, '-n'), { env });
  expect([code, /error: (.*)\n/.exec(stderr)?.[1]]).toEqual([
    6,
    'variant va-canary shows no share of traffic; nothing was sent',
  ]);
});

test('a process that was stopped checks anew before the next share', async () => {
  const { sandbox, env } = await machine();
  const words = ramp(...'--steps 25,100 --every 4s --interval 200ms --initial-delay 0s --check true'.split(' '));
  const running = start([...words, '-y'], { env });
  await running.tells(/has 25 %/);
  running.kill('SIGSTOP');
  // Longer than two polls.
  await new Promise((resolve) => setTimeout(resolve, 4500));
  running.kill('SIGCONT');
  await running.tells(/warning: no check ran for \d+s until [\d:]+: the step begins anew\n/);
  expect(puts(sandbox)).toEqual([25]);
  running.kill('SIGTERM');
  expect((await running.ended).stderr).toContain('error: paused (SIGTERM): va-canary keeps 25 %');
});

test('the log of checks keeps the newest 8 MiB', async () => {
  const { env } = await machine();
  const words = ramp('--steps', '25', '--every', '2s', '--interval', '200ms', '--initial-delay', '0s', '-y', '--check');
  const { code, stderr } = await ran([...words, 'true'], { env });
  const log = /output of the checks: (\S+)\n/.exec(stderr)?.[1] ?? '';
  expect(code).toBe(0);
  await run(['variant', 'weight', 'va-canary', '10', '-y'], { env });
  const full = `yes 'line of an old check' | head -c 9000000 >> ${log}; exec sleep 0`;
  const again = await ran(
    [...words, `sh -c "test -s ${log}.done || { : > ${log}.done; ${full.replaceAll("'", '')}; }"`],
    { env },
  );
  expect([again.code, statSync(log).size < 8 * 1024 * 1024], again.stderr).toEqual([0, true]);
  expect(readFileSync(log, 'utf8')).toMatch(/ sh at 25 %: good \(exit code 0\)\n$/);
});
