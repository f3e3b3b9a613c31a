import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openTokenStore } from '../../src/auth/token-store.ts';
import { findFolders } from '../../src/files/folders.ts';
import { reply, startService } from '../support/service.ts';
import { type RunOptions, run, temporaryFolder } from '../support/stackops.ts';
import { tab } from '../system/completion/tab.ts';

const token = 'printed-by-the-keeper-0123456789';
const stored = 'stored-before-0123456789-abcd';

interface KeeperOptions {
  /** The body of the program, as lines of sh. */
  readonly body?: string;
  /** The status of every response. */
  readonly status?: number;
}

/** A service, and a profile whose token comes from the program `keeper`. */
async function setUp({ body = `echo ${token}`, status = 200 }: KeeperOptions = {}) {
  const service = await startService((_seen, response) =>
    reply(response, status === 200 ? [] : { error: `no ${token}` }, status),
  );
  const [config, programs] = [temporaryFolder(), temporaryFolder()];
  const calls = join(programs, 'calls');
  writeFileSync(join(programs, 'keeper'), `#!/bin/sh\necho "$0 $*" >> ${calls}\n${body}\n`, { mode: 0o755 });
  const env = { STACKOPS_CONFIG_DIR: config, PATH: `${programs}:${process.env['PATH']}` };
  const play = (words: string, options: RunOptions = {}) =>
    run(words.split(' '), { ...options, env: { ...env, ...options.env } });
  const set = await run(['profile', 'set', `base_url=${service.url}`, 'token_command=keeper show ops/token'], { env });
  const origin = new URL(service.url).origin;
  expect(set.stderr).toBe(
    `Profile default: base_url=${service.url}, token_command=keeper show ops/token, token_command_origin=${origin}.\n`,
  );
  const store = openTokenStore(
    () => findFolders(env, 'linux'),
    () => undefined,
  );
  return {
    service,
    origin,
    config,
    env,
    play,
    /** How often the program was run. */
    runs: () => (existsSync(calls) ? readFileSync(calls, 'utf8').trimEnd().split('\n').length : 0),
    arguments: () => readFileSync(calls, 'utf8').trimEnd().split(' ').slice(1),
    storeToken: () => store.write('default', { token: stored, origin, scopes: [], obtained_at: '' }),
  };
}

test('the program is run once, with its arguments, when a token is needed', async () => {
  const { service, env, play, runs, arguments: given } = await setUp();
  expect(await play('status --all')).toMatchObject({ code: 0 });
  expect(service.seen.length).toBeGreaterThan(0);
  expect(service.seen.map(({ authorization }) => authorization)).toEqual(service.seen.map(() => `Bearer ${token}`));
  expect([runs(), given()]).toEqual([1, ['show', 'ops/token']]);
  expect(await play('reference clouds')).toMatchObject({ code: 0 });
  expect(await play('profile show')).toMatchObject({ code: 0 });
  expect(await play('gateway list --sandbox')).toMatchObject({ code: 0 });
  const requests = service.seen.length;
  expect(await tab('stack get ', { env })).toEqual([]);
  expect([runs(), service.seen.length]).toEqual([1, requests]);
});

test('the environment comes first, the saved token last', async () => {
  const { service, play, runs, storeToken } = await setUp();
  await storeToken();
  await play('stack list', { env: { STACKOPS_TOKEN: 'given' } });
  expect(runs()).toBe(0);
  await play('stack list');
  expect(service.seen.map(({ authorization }) => authorization)).toEqual(['Bearer given', `Bearer ${token}`]);
});

test('auth and doctor show it by its program', async () => {
  const { play, runs, storeToken } = await setUp();
  expect((await play('auth token')).stdout).toBe(`${token}\n`);
  const places = 'environment STACKOPS_TOKEN: not set; token_command (keeper): used, ****6789; profile default: ';
  const status = await play('auth status --json');
  expect(JSON.parse(status.stdout)).toMatchObject({
    token: '****6789',
    origin: 'token_command (keeper)',
    verdict: 'valid',
    scopes: [],
    obtained_at: null,
    places: `${places}none`.split('; '),
  });
  await storeToken();
  const before = runs();
  const doctor = await play('doctor --json');
  expect(JSON.parse(doctor.stdout)).toContainEqual({
    check: 'token',
    state: 'ok',
    found: `${places}overridden, ****abcd`,
    repair: null,
  });
  expect(runs()).toBe(before + 1);
  const overridden = await play('auth status --json', { env: { STACKOPS_TOKEN: token } });
  expect(JSON.parse(overridden.stdout).places[1]).toBe('token_command (keeper): overridden');
  expect(runs()).toBe(before + 1);
});

test('profile shows the command, and removes it with its origin', async () => {
  const { play, config, origin } = await setUp();
  const { stdout } = await play('profile show --json');
  expect(JSON.parse(stdout)).toMatchObject({
    token_command: 'keeper show ops/token',
    token_command_origin: origin,
    signed_in: true,
  });
  expect((await play('profile set token_command=')).stderr).toBe(
    'Profile default: token_command removed, token_command_origin removed.\n',
  );
  expect(readFileSync(join(config, 'config.json'), 'utf8')).not.toContain('token_command');
  expect((await play('profile list --jq .[].signed_in')).stdout).toBe('false\n');
});

test('signing in and out say that the command is used', async () => {
  const { play } = await setUp();
  const login = await play('auth login --token-stdin', { stdin: stored });
  expect(login.stderr).toContain('warning: token_command (keeper) is set and overrides the saved token\n');
  expect((await play('auth logout')).stderr).toBe(
    [
      'Removed the token of profile default.',
      'The token is still valid; revoke it in the Apps area of the web interface.',
      'warning: token_command (keeper) is set and is still used\n',
    ].join('\n'),
  );
});

test('it is run for the address it was set for, and no other', async () => {
  const { service, play, runs, config } = await setUp();
  const other = await startService((_seen, response) => reply(response, []));
  const { origin } = new URL(other.url);
  const refused = (bound: string, hint: string) =>
    `error: token_command (keeper) is ${bound}; it is not run for ${origin}\n` +
    `hint: stackops ${hint} --base-url ${other.url}\n`;
  const set = "profile set 'token_command=keeper show ops/token'";
  const words = `stack list --base-url ${other.url}`;
  const elsewhere = { code: 4, stdout: '', stderr: refused(`for ${new URL(service.url).origin}`, set) };
  expect(await play(words)).toEqual(elsewhere);
  expect(await play(`auth token --base-url ${other.url}`)).toMatchObject({ code: 4, stdout: '' });

  const file = join(config, 'config.json');
  const { token_command_origin: _gone, ...values } = JSON.parse(readFileSync(file, 'utf8')).profiles.default;
  writeFileSync(file, JSON.stringify({ profiles: { default: values } }), { mode: 0o600 });
  expect(await play(words)).toEqual({
    ...elsewhere,
    stderr: refused('bound to no address', 'config get token_command'),
  });
  expect([runs(), service.seen.length, other.seen.length]).toEqual([0, 0, 0]);

  await run(['profile', 'set', 'token_command=keeper', '--base-url', other.url], {
    env: { STACKOPS_CONFIG_DIR: config },
  });
  expect(await play(words)).toMatchObject({ code: 0 });
  expect([service.seen.length, other.seen.length]).toEqual([0, 1]);
});

test.each([
  [
    'token_command=op read x | head -1',
    'token_command must be a program and its arguments, without shell syntax, not "op read x | head -1"',
    "run a shell for it: sh -c '…'",
  ],
  ['token_command=op read x', 'token_command needs the address of its service', 'set base_url in the same command'],
])('profile set %s is refused', async (value, message, hint) => {
  const { code, stderr } = await run(['profile', 'set', value]);
  expect([code, stderr]).toEqual([2, `error: ${message}\nhint: ${hint}\n`]);
});

test('neither a flag, nor a variable, nor the preferences can set it, and nothing sets its origin', async () => {
  const { play, config } = await setUp();
  const before = readFileSync(join(config, 'config.json'), 'utf8');
  const env = { STACKOPS_TOKEN_COMMAND: 'other' };
  expect((await play('config get token_command', { env })).stdout).toBe('keeper show ops/token\n');
  for (const words of [
    'stack list --token-command other',
    'config set token_command=other',
    'profile set token_command_origin=https://other.example',
  ]) {
    expect(await play(words), words).toMatchObject({ code: 2, stdout: '' });
  }
  expect(readFileSync(join(config, 'config.json'), 'utf8')).toBe(before);
});

test('a command that others could have written is shown before it is run', async () => {
  const { env, play, runs, config } = await setUp();
  const file = join(config, 'config.json');
  chmodSync(file, 0o620);
  expect(await tab('stack get ', { env })).toEqual([]);
  const doctor = await play('doctor --json');
  expect(JSON.parse(doctor.stdout)).toContainEqual({
    check: 'token',
    state: 'problem',
    found: 'token_command is not run: others could write config.json',
    repair: 'stackops config get token_command',
  });
  expect(await play('stack list')).toEqual({
    code: 2,
    stdout: '',
    stderr: [
      `warning: ${file} could be changed by other users; its permissions are now 0600`,
      'error: token_command is not run: others could write config.json',
      'hint: stackops config get token_command\n',
    ].join('\n'),
  });
  // The rights are repaired, and still nobody knows who set it.
  for (let time = 0; time < 2; time += 1) {
    const { code, stderr } = await play('stack list');
    expect(code).toBe(4);
    expect(stderr).toMatch(/^error: token_command \(keeper\) is bound to no address; it is not run for /);
    expect(stderr).not.toContain('show ops/token');
  }
  expect(runs()).toBe(0);
  await play(`profile set token_command=keeper`);
  expect(await play('stack list')).toMatchObject({ code: 0 });
});

test.each([
  ['the file', (config: string) => chmodSync(join(config, 'config.json'), 0o666)],
  ['its folder', (config: string) => chmodSync(config, 0o777)],
])('a command is not run later either where others could write %s, and a sandbox was used first', async (_, open) => {
  const { env, play, runs, config } = await setUp();
  open(config);
  const here = { ...env, STACKOPS_SANDBOX: '1' };
  expect(await play('stack list', { env: here })).toMatchObject({ code: 0 });
  expect(await play('stack list')).toMatchObject({ stdout: '' });
  expect(await play('stack list')).toMatchObject({ code: 4, stdout: '' });
  expect(runs()).toBe(0);
});

const secret = 'hunter22-hunter22-hunter22';

test.each([
  ['echo bad >&2; exit 3', 'failed (exit code 3)'],
  ['kill -9 $$', 'failed (SIGKILL)'],
  ['', 'printed nothing'],
  ['echo', 'printed nothing'],
  [`echo ${secret}; echo ${secret}`, 'printed more than one line'],
  [`echo "Token: ${secret}"`, 'must print 1 to 4096 visible ASCII characters without spaces'],
  [`printf '${secret}\\a'`, 'must print 1 to 4096 visible ASCII characters without spaces'],
  [`head -c 5000 /dev/zero | tr '\\0' x`, 'must print 1 to 4096 visible ASCII characters without spaces'],
  ['head -c 100000 /dev/zero', 'printed more than 8 KiB'],
  [`echo ${secret} | tee /dev/stderr; exit 1`, 'failed (exit code 1)'],
])('a program that does "%s" %s, and none of its output is shown', async (body, fault) => {
  const { service, play } = await setUp({ body });
  expect(await play('stack list -v')).toEqual({
    code: 4,
    stdout: '',
    stderr: `error: token_command (keeper) ${fault}\nhint: stackops config get token_command\n`,
  });
  expect(service.seen).toEqual([]);
});

test('a program that is not there', async () => {
  const { play } = await setUp();
  expect(await play('stack list', { env: { PATH: temporaryFolder() } })).toEqual({
    code: 4,
    stdout: '',
    stderr: 'error: cannot run token_command (keeper): program not found\nhint: stackops config get token_command\n',
  });
});

test('what it prints is never shown, even where the service repeats it', async () => {
  const { play } = await setUp({ status: 401 });
  const { code, stderr } = await play('stack list -v');
  expect(code).toBe(4);
  expect(stderr).toContain('hint: the token comes from token_command (keeper): renew it there\n');
  expect(stderr).not.toContain(token);
  expect(stderr).not.toContain('auth login');
});

/** A service that takes each token for four requests, and a program that prints another one each time. */
async function shortLived(answer: (path: string, query: string, method: string) => unknown) {
  const uses = new Map<string, number>();
  const writes: string[] = [];
  const service = await startService(({ method, path, query, authorization = '' }, response) => {
    const used = (uses.get(authorization) ?? 0) + 1;
    uses.set(authorization, used);
    if (used > 4) return reply(response, { error: 'expired' }, 401);
    if (method !== 'GET') writes.push(path);
    reply(response, answer(path, query, method));
  });
  const programs = temporaryFolder();
  const keeper = `#!/bin/sh\ncd ${programs}; echo run >> calls; echo token-$(grep -c run calls)\n`;
  writeFileSync(join(programs, 'keeper'), keeper, { mode: 0o755 });
  const env = { STACKOPS_CONFIG_DIR: temporaryFolder(), PATH: `${programs}:${process.env['PATH']}` };
  await run(['profile', 'set', `base_url=${service.url}`, 'token_command=keeper'], { env });
  return { env, writes, tokens: () => uses.size };
}

const shop = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
const deployment = { id: 7, outcome: { code: null, meaning: 'pending' }, finished_at: null, is_live: false };

test('in a wait, in a watch, on later pages and at a second change it is run again once per 401', async () => {
  let checks = 0;
  const waited = await shortLived(() => {
    checks += 1;
    const end = { outcome: { code: 1, meaning: 'success' }, finished_at: '2026-05-04T12:00:00Z' };
    return { response: checks > 6 ? { ...deployment, ...end } : deployment };
  });
  expect(await run(['deployment', 'wait', '7', '-s', shop], waited)).toMatchObject({ code: 0 });
  expect(waited.tokens()).toBeGreaterThan(1);

  const stop = new AbortController();
  const slept = () => void (watched.tokens() > 5 && stop.abort('SIGINT'));
  const watched = await shortLived((path) => ({ response: path.endsWith(shop) ? { uid: shop, name: 'shop' } : [] }));
  const words = ['status', '--watch', '--only', 'deployment', '-s', shop];
  const { code, stdout } = await run(words, { env: watched.env, slept, signal: stop.signal });
  expect([code, stdout]).toEqual([130, expect.not.stringContaining('unreadable')]);

  const paged = await shortLived((_, query) => {
    const current = Number(new URLSearchParams(query).get('page') ?? 1);
    const pagination = { current, next: current < 9 ? current + 1 : null };
    return { response: [{ uid: String(current).repeat(32), name: `stack-${current}` }], pagination };
  });
  const listed = await run(['stack', 'list', '--json', '--fields', 'name'], paged);
  expect([listed.code, JSON.parse(listed.stdout).length, paged.tokens()]).toEqual([0, 9, 3]);

  const done = { id: 812, user: 'ada', resource_type: 'stack', action: 'set', resource_id: '1', started_via: 'api' };
  const times = { started_at: '2026-05-04T12:00:00Z', finished_at: '2026-05-04T12:00:01Z', finished_success: true };
  const rows = [{ key: 'Z', value: '1', readonly: false, history: [] }];
  const changed = await shortLived((_path, _query, method) => ({
    response: method === 'GET' ? rows : { ...done, ...times, finished_message: null, metadata: null },
  }));
  const set = await run(['env', 'set', 'A=1', 'B=2', 'C=3', 'D=4', '-s', shop, '-q'], changed);
  expect([set.code, changed.writes.length]).toEqual([0, 4]);
});

test('where it prints the same token again it is run no third time, and that is 4', async () => {
  const { service, play, runs } = await setUp({ status: 401 });
  expect(await play('stack list')).toMatchObject({ code: 4 });
  expect([runs(), service.seen.length]).toEqual([2, 1]);
});

test('it gets no credentials, no stdin, and another folder than ours', async () => {
  const shown = join(temporaryFolder(), 'shown');
  const { play, config } = await setUp({
    body: `{ pwd; cat; env; } > ${shown}; echo ${token}`,
  });
  const env = { STACKOPS_TOKEN: '', STACKOPS_CLIENT_SECRET: secret };
  expect(await play('stack list', { env, stdin: 'typed by somebody' })).toMatchObject({ code: 0 });
  const [folder, ...variables] = readFileSync(shown, 'utf8').trimEnd().split('\n');
  expect(folder).toBe(config);
  expect(variables).toContain(`STACKOPS_CONFIG_DIR=${config}`);
  expect(variables.join('\n')).not.toMatch(/typed by|STACKOPS_TOKEN=|STACKOPS_CLIENT_SECRET/);
});

test('a command that runs stackops does not run itself for ever', async () => {
  const { play } = await setUp();
  const env = { STACKOPS_IN_TOKEN_COMMAND: '1' };
  const { code, stderr } = await play('auth token', { env });
  expect([code, stderr.split('\n')[0]]).toEqual([
    4,
    'error: token_command (keeper) runs stackops, which would run it again',
  ]);
});
