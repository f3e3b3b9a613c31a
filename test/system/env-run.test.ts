import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters as plain } from 'node:util';
import { describe, expect, test } from 'vitest';
import { shellWord } from '../../src/contract/values/text.ts';
import { type Environment, ownEnvironment, program, runBuilt, start } from '../support/built.ts';
import { mark } from '../support/phrases.ts';
import { run, temporaryFolder } from '../support/stackops.ts';
import { ctrlC, openTerminal } from '../support/terminal.ts';

const sandbox = (more: Environment = {}) => ownEnvironment({ STACKOPS_SANDBOX: '1', STACKOPS_STACK: 'shop', ...more });
const notice = mark;

/** A run of `env run`, its flags and the program. */
async function ran(words: readonly string[], env = sandbox(), by: typeof runBuilt | typeof run = runBuilt) {
  const { code, stdout, stderr } = await by(['stack', 'env', 'run', ...words], { env });
  return { code, stdout, stderr: stderr.replace(notice, '') };
}
/** The same in this process, of a program that writes nothing. */
const ranSilent = (words: readonly string[], env?: Environment) => ran(words, env, run);

const set = (env: Environment, ...words: readonly string[]) => run(['stack', 'env', 'set', ...words], { env });
const print = (...names: readonly string[]) => [
  '--',
  'sh',
  '-c',
  `printf '%s|' ${names.map((one) => `"$${one}"`).join(' ')}`,
];

describe('the environment of the program', () => {
  test('holds the values of the stack, also over local ones', async () => {
    const env = sandbox({ LOG_LEVEL: 'mine', OTHER: 'local' });
    expect(await ran(print('ROBOTS', 'LOG_LEVEL', 'STACK_NAME', 'OTHER'), env)).toEqual({
      code: 0,
      stdout: 'User-agent: *\nDisallow: /checkout\n|info|shop|local|',
      stderr: '',
    });
    expect((await ran(['--prefer-local', ...print('LOG_LEVEL', 'CURRENCY')], env)).stdout).toBe('mine|EUR|');
  });

  test('never holds our credentials', async () => {
    const secrets = { STACKOPS_TOKEN: 'sandbox_all', STACKOPS_CLIENT_SECRET: 'made-up' };
    const { code, stdout } = await ran(['--', 'env'], sandbox({ ...secrets, KEPT: 'yes' }));
    expect(code).toBe(0);
    expect(stdout).toContain('\nKEPT=yes\n');
    expect(stdout).not.toMatch(/STACKOPS_TOKEN|STACKOPS_CLIENT_SECRET|sandbox_all|made-up/);
  });

  test('is pristine, and holds only what was chosen', async () => {
    const env = sandbox({ PATH: '/usr/bin:/bin', HOME: '/root', TERM: 'xterm', OTHER: 'local' });
    const { stdout } = await ran(['--pristine', '--only', 'LOG_LEVEL,CURRENCY', '--', 'env'], env);
    expect(stdout.trimEnd().split('\n').toSorted()).toEqual([
      'CURRENCY=EUR',
      'HOME=/root',
      'LOG_LEVEL=info',
      'PATH=/usr/bin:/bin',
      'TERM=xterm',
    ]);
  });

  test.each([[], ['--pristine']])('leaves out what would run commands here, and says so once %j', async (...flags) => {
    const env = sandbox();
    const planted = join(temporaryFolder(), 'ran');
    const values = [
      `BASH_ENV=${planted}.sh`,
      `GIT_SSH_COMMAND=touch ${planted}`,
      'PATH=/nowhere',
      'LD_PRELOAD=x',
      'HARMLESS=yes',
    ];
    writeFileSync(`${planted}.sh`, `touch ${planted}`);
    expect((await set(env, ...values)).code).toBe(0);
    const { code, stdout, stderr } = await ran(
      [...flags, '--', 'bash', '-c', 'echo "$HARMLESS $BASH_ENV $LD_PRELOAD"'],
      env,
    );
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: 'yes  \n',
      stderr:
        'warning: left out BASH_ENV, GIT_SSH_COMMAND, PATH, LD_PRELOAD, which can run commands here; --only KEY passes one\n',
    });
    expect(existsSync(planted)).toBe(false);
  });

  test('knows the names that tools read to run commands', async () => {
    const names =
      `npm_config_node_options NPM_CONFIG_SCRIPT_SHELL XDG_CONFIG_HOME ZDOTDIR LESSOPEN LESSCLOSE TAR_OPTIONS
      PYTHONWARNINGS PYTHONPATH BROWSER MAKEFLAGS JDK_JAVA_OPTIONS CLASSPATH PERL5DB PERLLIB BUN_OPTIONS SSH_ASKPASS RSYNC_RSH
      LUA_INIT LUA_INIT_5_4 MANPAGER OPENSSL_CONF CARGO_BUILD_RUSTC RUSTC_WRAPPER GOFLAGS`.split(/\s+/);
    const env = sandbox();
    expect((await set(env, 'HARMLESS=yes', ...names.map((name) => `${name}=x`))).code).toBe(0);
    const { code, stderr } = await ranSilent(['--', 'true'], env);
    const [, left = ''] = /^warning: left out (.*), which can run commands here/.exec(stderr) ?? [];
    expect([code, left.split(', ').toSorted()]).toEqual([0, names.toSorted()]);
  });

  test('passes them where they are named, and the program is still the one of the operator', async () => {
    const env = sandbox();
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'env'), '#!/bin/sh\necho planted\n', { mode: 0o755 });
    expect((await set(env, `PATH=${folder}`)).code).toBe(0);
    const { code, stdout, stderr } = await ran(['--only', 'PATH', '--pristine', '--', 'env'], env);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`PATH=${folder}\n`);
    expect(await ranSilent(['--only', 'PATH', '--', 'no-such-program'], env)).toMatchObject({ code: 127 });
  });

  test('that does not fit is refused before anything runs', async () => {
    const env = sandbox();
    const file = join(temporaryFolder(), 'value');
    writeFileSync(file, 'x'.repeat(200_000));
    expect((await set(env, 'BLOB', '--from-file', file)).code).toBe(0);
    expect(await ranSilent(['--', 'touch', `${file}-made`], env)).toEqual({
      code: 126,
      stdout: '',
      stderr:
        'error: cannot run "touch": its environment is too large\n' +
        'hint: leave out variables; the largest is BLOB (200000 bytes)\n',
    });
    expect(existsSync(`${file}-made`)).toBe(false);
    expect((await ran(['--only', 'LOG_LEVEL', ...print('LOG_LEVEL')], env)).stdout).toBe('info|');
  });
});

describe('the program', () => {
  test('is handed its words as they are, a second -- too', async () => {
    const { stdout } = await ran(['--', 'printf', '%s|', '--only', '-s', '--', '$HOME; exit 3', '']);
    expect(stdout).toBe('--only|-s|--|$HOME; exit 3||');
  });

  test.each([
    ['exit 0', 0],
    ['exit 17', 17],
    ['kill -KILL $$', 137],
  ])('%s is %s', async (script, code) => {
    expect(await ranSilent(['--', 'sh', '-c', script])).toEqual({ code, stdout: '', stderr: '' });
  });

  test('that is not there is 127, and one that cannot be run 126, as with env', async () => {
    const file = join(temporaryFolder(), 'program');
    writeFileSync(file, '#!/bin/sh\n');
    // A folder in PATH that may not be searched makes it 126, with env too.
    expect(await ranSilent(['--', 'no-such-program'], sandbox({ PATH: '/usr/bin:/bin' }))).toEqual({
      code: 127,
      stdout: '',
      stderr: 'error: cannot run "no-such-program": program not found\n',
    });
    expect(await ranSilent(['--', file])).toEqual({
      code: 126,
      stdout: '',
      stderr: `error: cannot run "${file}": permission denied (EACCES)\n`,
    });
    chmodSync(file, 0o755);
    expect((await ranSilent(['--', file])).code).toBe(0);
  });

  test('is not run for a name that is not there, nor by a dry run', async () => {
    const file = join(temporaryFolder(), 'made');
    const unknown = await ranSilent(['--only', 'LOGLEVEL', '--', 'touch', file]);
    expect(unknown.code).toBe(3);
    expect(unknown.stderr).toContain('environment variable "LOGLEVEL" not found; did you mean "LOG_LEVEL"?');
    expect((await ranSilent(['-s', 'shpo', '--', 'touch', file])).code).toBe(3);
    expect(await ranSilent(['-n', '--', 'touch', file])).toMatchObject({
      code: 0,
      stderr: 'would run touch with 38 variables\n',
    });
    expect(existsSync(file)).toBe(false);
  });
});

describe('signals', () => {
  const trap = (name: string) => `trap 'echo got ${name}; exit 5' ${name}; echo ready; while :; do sleep 0.05; done`;

  test.each(['TERM', 'HUP', 'INT', 'USR1', 'QUIT'] as const)(
    'SIG%s is passed on, and the program says how it ends',
    async (name) => {
      const running = start(['stack', 'env', 'run', '--', 'sh', '-c', trap(name)], { env: sandbox() });
      await running.shows(/ready/);
      running.kill(`SIG${name}`);
      expect(await running.ended).toMatchObject({ code: 5, signal: null, stdout: `ready\ngot ${name}\n` });
    },
  );

  test('a program that ends by one takes us along', async () => {
    const running = start(['stack', 'env', 'run', '--', 'sh', '-c', 'echo ready; exec sleep 60'], { env: sandbox() });
    await running.shows(/ready/);
    running.kill('SIGTERM');
    expect(await running.ended).toMatchObject({ code: null, signal: 'SIGTERM', stderr: notice });
  });

  test('Ctrl-C in a terminal reaches a program once, as often as it is typed', async () => {
    const count = `n=0; trap 'n=$((n+1)); echo "got $n"' INT; echo ready; while [ $n -lt 2 ]; do sleep 0.05; done; read x; echo "in all $n"; exit 3`;
    const file = join(temporaryFolder(), 'count.sh');
    writeFileSync(file, count);
    const terminal = openTerminal(`stackops stack env run -- sh ${file}; echo "code $?"`, sandbox());
    await terminal.shows(/ready/);
    terminal.type(ctrlC);
    await terminal.shows(/got 1/);
    terminal.type(ctrlC);
    await terminal.shows(/got 2/);
    terminal.type('\r');
    const { screen } = await terminal.ended;
    expect(plain(screen)).toContain('in all 2\r\ncode 3\r\n');
  });

  test('Ctrl-C in a terminal stops a script whose program ends by it', async () => {
    const line = `for run in 1 2; do stackops stack env run -- sh -c 'echo ready; exec sleep 60'; echo "went on"; done`;
    const terminal = openTerminal(line, sandbox());
    await terminal.shows(/ready/);
    terminal.type(ctrlC);
    const { code, screen } = await terminal.ended;
    expect(code).toBe(130);
    expect(screen).not.toContain('went on');
  });

  test('a program that Ctrl-C ended takes us along, also where we are told of it too late', async () => {
    const [command = '', ...first] = program;
    const words = [...first, 'stack', 'env', 'run', '--', 'sh', '-c', 'kill -INT $$'];
    const script = join(temporaryFolder(), 'caller.cjs');
    writeFileSync(
      script,
      `const { signal } = require('node:child_process').spawnSync(${JSON.stringify(command)}, ${JSON.stringify(words)}, { stdio: 'inherit' });
      console.log('ended by', signal);`,
    );
    const { screen } = await openTerminal(`${shellWord(process.execPath)} ${script}`, sandbox()).ended;
    expect(plain(screen)).toContain('ended by SIGINT');
  });
});
