import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startSandbox } from '../support/sandbox.ts';
import { reply, startService } from '../support/service.ts';
import { type RunOptions, run, temporaryFolder } from '../support/stackops.ts';

const bell = '\x07';
const desktop = (text: string) => `${bell}\x1b]9;stackops ${text}\x07\x1b]777;notify;stackops;${text}\x07`;
/** What is asked for again after 15 s was waited for longer than the ten that are needed. */
const waits = 'redeploy -s shop -y --wait --poll 15s';
const shop = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';

/** A sandbox in which waiting takes no time, and a profile that may name the program `tell`. */
async function setUp({ notify = '', body = 'exit 0', faults = [] as readonly string[] } = {}) {
  let nowMs = Date.parse('2026-05-04T12:00:00Z');
  const sandbox = await startSandbox({
    now: () => new Date(nowMs),
    faults,
  });
  const [config, programs] = [temporaryFolder(), temporaryFolder()];
  const told = join(programs, 'told');
  const script = `#!/bin/sh\nprintf '[%s,"%s",%s]\\n' "$STACKOPS_EXIT_CODE" "$STACKOPS_TOKEN" "$(cat)" >> ${told}\n${body}\n`;
  writeFileSync(join(programs, 'tell'), script, { mode: 0o755 });
  const env = {
    STACKOPS_CONFIG_DIR: config,
    XDG_STATE_HOME: temporaryFolder(),
    PATH: `${programs}:${process.env['PATH']}`,
    ...sandbox.env,
  };
  const slept = (ms: number): void => {
    nowMs += ms;
  };
  const play = (words: string, options: RunOptions = {}) =>
    run(words.split(' '), { slept, ...options, env: { ...env, ...options.env } });
  if (notify !== '') await run(['profile', 'set', `notify=${notify}`], { env });
  /** The exit code, the token and the JSON of each notice. */
  const notices = () =>
    existsSync(told)
      ? readFileSync(told, 'utf8')
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line))
      : [];
  return { play, config, notices };
}

const succeeded =
  /\x07\x1b\]9;stackops redeploy: deployment 1042 succeeded after .*?\x07\x1b\]777;notify;stackops;redeploy: deployment 1042 succeeded after .*?\x07$/;

describe('on a terminal', () => {
  const terminal = { terminal: 80 };

  test('--notify rings and tells the desktop, once the wait took long', async () => {
    const { play } = await setUp();
    expect((await play(`${waits} --notify`, terminal)).stderr).toMatch(succeeded);
    const several = await play('redeploy -s shop,blog/staging -y --poll 15s --notify', terminal);
    expect(several.stderr).toContain(desktop('redeploy: shop deployed, blog/staging deployed').replace(/777.*/, ''));
    const asData = await play('redeploy -s shop,blog/staging -y --poll 15s --notify --json', terminal);
    expect(asData.stderr).toContain(desktop('redeploy: shop deployed, blog/staging deployed'));
    expect((await play('redeploy -s shop -y --wait --poll 9s --notify', terminal)).stderr).not.toContain(bell);
    expect((await play(waits, terminal)).stderr).not.toContain(bell);
    expect((await play('redeploy -s shop -y --notify -n --wait', terminal)).stderr).not.toContain(bell);
  });

  test.each([
    ['bell', /^[^\x07]*\x07$/],
    ['desktop', succeeded],
  ])('notify=%s in the profile does it for every long wait', async (notify, expected) => {
    const { play } = await setUp({ notify });
    expect((await play(waits, terminal)).stderr.replaceAll('\x1b[2K\x1b[1G', '')).toMatch(expected);
  });

  test('an error is told, and no text of a service gets out of the notice', async () => {
    const { play } = await setUp({ notify: 'desktop' });
    const { code, stderr } = await play(`${waits} --git-ref broken`, terminal);
    expect(code).toBe(9);
    expect(stderr).toMatch(/\x07\x1b\]9;stackops redeploy: deployment 1042 failed after [^\x07]+\x07/);
    const hostile = {
      started_via: 'api',
      finished_at: '2026-05-04T12:00:01Z',
      finished_success: true,
      id: 7,
      action: 'wait',
      resource_type: 'stack',
    };
    let reads = 0;
    const service = await startService((_, response) => {
      reads += 1;
      const finished_message = 'a\x07\x1b]52;c;aGk=\x07;b';
      reply(response, { response: reads > 1 ? { ...hostile, finished_message } : { id: 7, finished_at: null } });
    });
    const elsewhere = { STACKOPS_BASE_URL: service.url, STACKOPS_TOKEN: 'token' };
    const waited = await play(`action wait 7 -s ${shop} --poll 15s`, { ...terminal, env: elsewhere });
    expect(waited.stderr.slice(waited.stderr.indexOf(bell))).toBe(
      desktop('action wait: action 7 (wait of stack) succeeded: a\\x07\\x1b]52;c;aGk=\\x07;b')
        .replace(/;b\x07$/, ',b\x07')
        .replace(/(777.*)52;c;/, '$152,c,'),
    );
  });

  test('Ctrl-C needs no notice, and a dumb terminal gets the bell alone', async () => {
    const { play } = await setUp({ notify: 'desktop' });
    const stop = new AbortController();
    const stopped = { ...terminal, signal: stop.signal, slept: () => stop.abort('SIGINT') };
    expect(await play(waits, stopped)).toMatchObject({ code: 130, stderr: expect.not.stringContaining(bell) });
    const { stderr } = await play(waits, { ...terminal, env: { TERM: 'dumb' } });
    expect([stderr.includes(bell), stderr.includes('\x1b]')]).toEqual([true, false]);
  });
});

describe('a program', () => {
  test('reads the record and the exit code, without credentials', async () => {
    const { play, notices } = await setUp({ notify: 'tell' });
    expect(await play('deployment wait 1041 -s shop')).toMatchObject({ code: 0 });
    const { stdout, stderr } = await play(`${waits} --json`);
    expect(stderr).not.toContain(bell);
    expect(notices()).toEqual([[0, '', JSON.parse(stdout)]]);
  });

  test('of several stacks reads all records', async () => {
    const { play, notices } = await setUp({ notify: 'tell' });
    const { code } = await play('env set LOG_LEVEL=warn -s shop,blog/staging --redeploy -y --wait --poll 15s');
    expect(code).toBe(0);
    expect(notices()).toEqual([[0, '', expect.arrayContaining([expect.objectContaining({ stack: 'blog/staging' })])]]);
  });

  test('reads nothing of what --reveal shows', async () => {
    const { play, notices } = await setUp({ notify: 'tell' });
    const { stdout } = await play(
      'db user regenerate-password app -s shop --confirm app --wait --poll 15s --reveal --json',
    );
    const { password } = JSON.parse(stdout).after;
    expect(password).toEqual(expect.any(String));
    expect(notices()).toEqual([[0, '', expect.objectContaining({ username: 'app', change: 'password_changed' })]]);
    expect(JSON.stringify(notices())).not.toContain(password);
  });

  test('reads what was seen of a failure', async () => {
    const { play, notices } = await setUp({ notify: 'tell' });
    expect(await play(`${waits} --git-ref broken`)).toMatchObject({ code: 9 });
    expect(notices()).toEqual([[9, '', expect.objectContaining({ id: 1042, change: 'failed' })]]);
  });

  test.each([
    ['exit 3', 'notify (tell) failed (exit code 3)'],
    ['kill -9 $$', 'notify (tell) failed (SIGKILL)'],
  ])('that does %j is a warning', async (body, why) => {
    const { play } = await setUp({ notify: 'tell', body });
    const { code, stderr } = await play(waits);
    expect([code, stderr.split('\n').at(-2)]).toEqual([0, `warning: no notice was given: ${why}`]);
  });

  test('that is not there is a warning', async () => {
    const { play } = await setUp({ notify: 'nobody' });
    const { code, stderr } = await play(`${waits} --json`);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('{"warning":"no notice was given: cannot run notify (nobody): program not found"}'),
    ]);
  });

  test('that others could have set is not run, and forgotten', async () => {
    const { play, config, notices } = await setUp({ notify: 'tell' });
    chmodSync(join(config, 'config.json'), 0o620);
    const { code, stderr } = await play(waits);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('warning: no notice was given: notify is not run: others could write config.json\n'),
    ]);
    expect(await play(waits)).toMatchObject({ code: 0, stderr: expect.not.stringContaining('notice') });
    expect(await play('config get notify')).toMatchObject({ code: 3 });
    expect(notices()).toEqual([]);
  });
});

test('a watch that ends by itself is told', async () => {
  const { play, notices } = await setUp({ notify: 'tell' });
  let reads = 0;
  const service = await startService(({ path }, response) => {
    reads += path.endsWith('/deployments') ? 1 : 0;
    if (reads > 2) return reply(response, { error: 'expired' }, 401);
    reply(response, { response: [] });
  });
  const env = { STACKOPS_BASE_URL: service.url, STACKOPS_TOKEN: 'token' };
  expect(await play(`deployment list --watch --every 15s -s ${shop}`, { env })).toMatchObject({ code: 4 });
  expect(notices()).toEqual([[4, '', { error: { code: 'unauthenticated', message: expect.any(String) } }]]);
});

test('it is refused where nothing is waited for', async () => {
  const { play } = await setUp();
  expect(await play('redeploy -s shop -y --notify')).toEqual({
    code: 2,
    stdout: '',
    stderr: 'error: --notify needs --wait\nhint: stackops redeploy -s shop -y --notify --wait\n',
  });
  expect(await play('deployment list -s shop --notify')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('hint: stackops deployment list -s shop --notify --watch\n'),
  });
  expect(await play('variant list -s shop --notify')).toMatchObject({ code: 2, stdout: '' });
  expect(await play('profile set notify=a|b')).toMatchObject({ code: 2, stdout: '' });
});
