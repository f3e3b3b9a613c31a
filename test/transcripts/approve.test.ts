import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, createReadStream, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mark, unchanged, unsent } from '../support/phrases.ts';
import { type RunOptions, run, temporaryFolder } from '../support/stackops.ts';

const shop = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
const blog = 'a81b6c0d4e2f49738c5d6e7f80912a3b';
const waiting = 'waiting for approval (approve_command)\n';
const notApproved = (why: string) =>
  `${mark}${waiting}error: not approved: ${why}${unsent}\nhint: stackops config get approve_command --sandbox\n`;

/** A sandbox with a profile whose changes the program `approve` approves, or not. */
async function setUp(body = 'exit 0') {
  const [config, state, programs] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  const seen = join(programs, 'seen');
  // The printed lines that are tried beside are run elsewhere.
  const script = `#!/bin/sh\n[ "$STACKOPS_CONFIG_DIR" != ${config} ] || cat >> ${seen}\n${body}\n`;
  writeFileSync(join(programs, 'approve'), script, { mode: 0o755 });
  const env = { STACKOPS_CONFIG_DIR: config, XDG_STATE_HOME: state, PATH: `${programs}:${process.env['PATH']}` };
  const play = (words: string, options: RunOptions = {}) =>
    run([...words.split(' '), '--sandbox'], { ...options, env: { ...env, ...options.env } });
  const others = { STACKOPS_CONFIG_DIR: temporaryFolder() };
  expect((await play('profile set approve_command=approve')).stderr).toBe(
    'Profile sandbox: approve_command=approve, approve_command_trusted=true.\n',
  );
  return {
    config,
    programs,
    env,
    play,
    /** Somebody else, whose profile asks nobody. */
    byOthers: (words: string) => play(words, { env: others }),
    held: async (key: string) => (await play(`env get ${key} -s shop`)).stdout.trimEnd(),
    /** What each call was handed. */
    calls: (): readonly Asked[] =>
      existsSync(seen)
        ? readFileSync(seen, 'utf8')
            .trimEnd()
            .split('\n')
            .map((line) => JSON.parse(line))
        : [],
  };
}

interface Asked {
  readonly command: readonly string[];
  readonly changes: readonly { readonly stack: string; readonly method: string; readonly url: string }[];
}

const api = 'http://sandbox.localhost/api/3';

test('one who agrees is handed the changes, masked, and they are sent', async () => {
  const { play, calls } = await setUp();
  expect(await play('env set LOG_LEVEL=debug API_TOKEN=hunter22-hunter22 CURRENCY=EUR -s shop')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('LOG_LEVEL updated (info -> debug)\nAPI_TOKEN created (***)\nCURRENCY unchanged'),
  });
  expect(calls()).toEqual([
    {
      command: 'stack env set LOG_LEVEL=<value> API_TOKEN=<value> CURRENCY=<value> -s shop --sandbox'.split(' '),
      profile: 'sandbox',
      account: null,
      changes: [
        {
          stack: 'shop',
          method: 'PUT',
          url: `${api}/stacks/${shop}/environments/LOG_LEVEL`,
          body: { value: 'debug' },
        },
        {
          stack: 'shop',
          method: 'POST',
          url: `${api}/stacks/${shop}/environments`,
          body: { key: 'API_TOKEN', value: '***' },
        },
      ],
    },
  ]);
});

test('one who refuses has the last word, and nothing is sent or recorded', async () => {
  const { play, calls, held } = await setUp('echo "not on Fridays"; echo asking >&2; exit 1');
  expect(await play('env set LOG_LEVEL=debug -s shop')).toEqual({
    code: 5,
    stdout: '',
    stderr: notApproved('not on Fridays'),
  });
  expect(await play('env set LOG_LEVEL=debug -s shop --json')).toMatchObject({
    code: 5,
    stdout: '',
    stderr: expect.stringContaining(
      '{"error":{"code":"forbidden","message":"not approved: not on Fridays; nothing was',
    ),
  });
  expect((await play('env set LOG_LEVEL=debug -s shop -q')).stderr).not.toContain('waiting');
  expect(await held('LOG_LEVEL')).toBe('info');
  expect((await play('history list')).stdout).toBe('');
  expect(calls()).toHaveLength(3);
});

test.each([
  ['exit 3', 'approve_command (approve) failed (exit code 3)'],
  ['kill -9 $$', 'approve_command (approve) failed (SIGKILL)'],
  ['head -c 2000000 /dev/zero', 'approve_command (approve) printed more than 1024 KiB'],
  ['printf "no\\033[2J\\n" >&2; exit 1', 'no\\x1b[2J'],
])('a program that does %j approves nothing', async (body, why) => {
  const { play } = await setUp(body);
  expect(await play('redeploy -s shop -y')).toEqual({ code: 5, stdout: '', stderr: notApproved(why) });
});

test('a program that is not there approves nothing, and those who set it or ask the doctor are told', async () => {
  const { play } = await setUp();
  const doctor = async (env = {}) => (await play('doctor --where check=approval', { env })).stdout;
  expect(await doctor()).toBe('approval\tok\tapprove must approve every change\n');
  expect(await doctor({ PATH: '/nowhere' })).toBe(
    'approval\tproblem\tapprove: program not found; no change can be sent\n',
  );
  for (const setting of ['approve_command', 'notify']) {
    expect(await play(`profile set ${setting}=nowhere -p other`)).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(
        `^warning: ${setting}: program "nowhere" not found on this machine\nProfile other: `,
      ),
    });
  }
  expect((await play('profile set notify=bell -p other')).stderr).toBe('Profile other: notify=bell.\n');
  const why = 'cannot run approve_command (approve): program not found';
  const path = { env: { PATH: temporaryFolder() } };
  expect(await play('redeploy -s shop -y', path)).toEqual({ code: 5, stdout: '', stderr: notApproved(why) });
});

test('one call shows all changes: of several stacks, and what follows them', async () => {
  const { play, calls } = await setUp();
  const ran = await play('env set LOG_LEVEL=warn -s shop,blog/staging --redeploy -y');
  expect(ran).toMatchObject({ code: 0 });
  const changes = calls().map((call) => call.changes.map(({ stack, method, url }) => [stack, method, url]));
  expect(changes).toEqual([
    [
      ['shop', 'PUT', `${api}/stacks/${shop}/environments/LOG_LEVEL`],
      ['blog/staging', 'PUT', `${api}/stacks/${blog}/environments/LOG_LEVEL`],
      ['shop', 'POST', `${api}/stacks/${shop}/deployments`],
      ['blog/staging', 'POST', `${api}/stacks/${blog}/deployments`],
    ],
  ]);
});

test('one call shows what is done in several stacks one after another', async () => {
  const { play, calls } = await setUp();
  expect(await play('redeploy -s shop,blog/staging -y')).toMatchObject({ code: 0 });
  expect(calls().map(({ changes }) => changes.map(({ stack }) => stack))).toEqual([['shop', 'blog/staging']]);
});

test.each(['documented', 'actions', 'legacy'] as const)('with the replies %s one call is enough', async (replies) => {
  const { play, calls } = await setUp();
  for (const words of ['env set LOG_LEVEL=debug -s shop --redeploy -y', 'deployment rollback -s shop -y']) {
    expect(await play(words, { sandbox: { replies } })).toMatchObject({ code: 0 });
  }
  expect(calls().map(({ changes }) => changes.length)).toEqual([2, 1]);
});

test('api is asked about where it changes something, and so is an undo', async () => {
  const { play, calls } = await setUp();
  expect(await play('api /stacks')).toMatchObject({ code: 0 });
  expect(calls()).toEqual([]);
  await play(`api PUT /stacks/${shop}/environments/LOG_LEVEL -f value=debug`);
  await play('env set CURRENCY=USD -s shop');
  expect(await play('history undo 2 -y')).toMatchObject({ code: 0 });
  expect(calls().map(({ changes }) => changes.map(({ url }) => url.split('/').at(-1)))).toEqual([
    ['LOG_LEVEL'],
    ['CURRENCY'],
    ['CURRENCY'],
  ]);
});

test('nobody is asked where nothing is sent', async () => {
  const { play, calls } = await setUp();
  for (const [words, code] of [
    ['env set LOG_LEVEL=debug -s shop --dry-run', 0],
    ['env set LOG_LEVEL=debug -s shop --curl', 0],
    ['env set LOG_LEVEL=info -s shop', 0],
    ['env set LOG_LEVEL=debug -s shop --read-only', 5],
    ['env set STACK_NAME=x -s shop', 6],
    ['redeploy -s shop', 2],
    ['status -s shop', 0],
  ] as const) {
    expect(await play(words), words).toMatchObject({ code });
  }
  expect(await play('redeploy -s shop', { terminal: 80, typed: ['n'] })).toMatchObject({ code: 1 });
  expect(calls()).toEqual([]);
});

test('a person answers first, then others are asked', async () => {
  const { play } = await setUp('echo no; exit 1');
  const { code, stderr } = await play('redeploy -s shop', { terminal: 80, typed: ['y'] });
  expect([code, stderr]).toEqual([
    5,
    expect.stringMatching(/\[y\/N\] waiting for approval \(approve_command\)\n.*not approved: no;.*\n/),
  ]);
});

test('no flag, variable or preference sets or skips it', async () => {
  const { play, calls } = await setUp('exit 1');
  const env = { STACKOPS_APPROVE_COMMAND: 'true', STACKOPS_APPROVE_COMMAND_TRUSTED: 'true' };
  expect(await play('redeploy -s shop -y --no-input', { env })).toMatchObject({ code: 5, stdout: '' });
  for (const words of [
    'redeploy -s shop -y --approve-command true',
    'config set approve_command=true',
    'profile set approve_command_trusted=true',
    'profile set approve_command=a|b',
  ]) {
    expect(await play(words), words).toMatchObject({ code: 2 });
  }
  expect(calls()).toHaveLength(1);
  expect((await play('profile set approve_command= --confirm sandbox')).stderr).toBe(
    'Profile sandbox: approve_command removed, approve_command_trusted removed.\n',
  );
  expect(await play('redeploy -s shop -y')).toMatchObject({ code: 0 });
});

test('it gets no credentials and another folder than ours', async () => {
  const shown = join(temporaryFolder(), 'shown');
  const { play, config } = await setUp(`{ pwd; env; } > ${shown}`);
  const secrets = { STACKOPS_TOKEN: 'sandbox_all', STACKOPS_CLIENT_SECRET: 'hunter22' };
  expect(await play('redeploy -s shop -y', { env: secrets })).toMatchObject({ code: 0 });
  const [folder, ...variables] = readFileSync(shown, 'utf8').trimEnd().split('\n');
  expect(folder).toBe(config);
  expect(variables.join('\n')).not.toMatch(/sandbox_all|hunter22|STACKOPS_TOKEN|STACKOPS_CLIENT_SECRET/);
});

test('one that changes something with stackops does not run itself for ever', async () => {
  const { play, calls } = await setUp();
  const inside = { env: { STACKOPS_IN_APPROVE_COMMAND: '1' } };
  const why = 'approve_command (approve) runs stackops, which would run it again';
  expect(await play('redeploy -s shop -y', inside)).toEqual({ code: 5, stdout: '', stderr: notApproved(why) });
  expect(await play('stack list', inside)).toMatchObject({ code: 0 });
  expect(calls()).toEqual([]);
});

test('one that others could have set is not run, and nothing is sent until it is set again', async () => {
  const { play, config, calls } = await setUp();
  const file = join(config, 'config.json');
  chmodSync(file, 0o620);
  expect(await play('redeploy -s shop -y')).toEqual({
    code: 2,
    stdout: '',
    stderr: [
      `warning: ${file} could be changed by other users; its permissions are now 0600`,
      `${mark}error: approve_command is not run: others could write config.json`,
      'hint: stackops config get approve_command --sandbox\n',
    ].join('\n'),
  });
  const why = 'others could write config.json, or it was not set by stackops profile set';
  for (let time = 0; time < 2; time += 1) {
    const refused = notApproved(`approve_command (approve) is not run: ${why}`);
    expect(await play('redeploy -s shop -y')).toEqual({ code: 5, stdout: '', stderr: refused });
  }
  expect(await play('config get approve_command')).toMatchObject({ code: 0, stdout: 'approve\n' });
  expect(calls()).toEqual([]);
  await play('profile set approve_command=approve');
  expect(await play('redeploy -s shop -y')).toMatchObject({ code: 0 });
});

describe.skipIf(process.platform === 'win32')('while it runs', () => {
  /** A program that says when it has begun, and goes on once it is told to. */
  async function slow() {
    const folder = temporaryFolder();
    const [begun, go] = [join(folder, 'begun'), join(folder, 'go')];
    execFileSync('mkfifo', [begun, go]);
    const made = await setUp(`mkdir ${folder}/once || exit 0; echo > ${begun}; read word < ${go}`);
    return {
      ...made,
      begun: async () => void (await once(createReadStream(begun).resume(), 'end')),
      goOn: () => writeFileSync(go, 'go\n'),
    };
  }

  test('Ctrl-C ends it, and nothing is sent', async () => {
    const { play, begun, held } = await slow();
    const stop = new AbortController();
    const running = play('env set LOG_LEVEL=debug -s shop', { signal: stop.signal });
    await begun();
    stop.abort('SIGINT');
    const stderr = `${mark}${waiting}error: interrupted${unchanged}\n`;
    expect(await running).toEqual({ code: 130, stdout: '', stderr });
    expect(await held('LOG_LEVEL')).toBe('info');
  });

  test('two minutes are all it has', async () => {
    const { play, begun, held } = await slow();
    const time = new AbortController();
    const running = play('env set LOG_LEVEL=debug -s shop', { deadline: time.signal });
    await begun();
    time.abort();
    const stderr = notApproved('approve_command (approve) gave no answer within 120 s');
    expect(await running).toEqual({ code: 5, stdout: '', stderr });
    expect(await held('LOG_LEVEL')).toBe('info');
  });

  test('a change by others is not overwritten, though it was approved', async () => {
    const { play, begun, goOn, byOthers, held } = await slow();
    const running = play('env set LOG_LEVEL=debug -s shop');
    await begun();
    await byOthers('env set LOG_LEVEL=error -s shop');
    goOn();
    const error = `error: LOG_LEVEL changed before it was approved${unsent}\n`;
    const hint = 'hint: stackops stack env set LOG_LEVEL=debug -s shop --sandbox\n';
    expect(await running).toEqual({ code: 6, stdout: '', stderr: `${mark}${waiting}${error}${hint}` });
    expect(await held('LOG_LEVEL')).toBe('error');
  });
});
