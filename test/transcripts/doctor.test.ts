import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openTokenStore } from '../../src/auth/token-store.ts';
import { findFolders } from '../../src/files/folders.ts';
import { run } from '../support/stackops.ts';
import { answer, consult, type DoctorSetup, doctorSetup, serve, token, well } from './doctor-setup.ts';

/** Folders in which this user can make no file. */
const readOnly = vi.hoisted(() => new Set<string>());
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const accessSync = (path: string, mode?: number) => {
    if (readOnly.has(path)) throw Object.assign(new Error('denied'), { code: 'EACCES' });
    fs.accessSync(path, mode);
  };
  return { ...fs, accessSync };
});

describe('doctor', () => {
  test('finds a healthy machine healthy, with one read without the token and one with it', async () => {
    const service = await serve();
    const { env, config, state } = doctorSetup({ STACKOPS_BASE_URL: service.url });
    const ran = await run(['doctor'], { env });
    const host = new URL(service.url).origin;
    expect(ran).toEqual({
      code: 0,
      stderr: '',
      stdout: [
        'program\tok\tstackops 0.0.0 on test',
        'node\tskipped\tunknown Node version',
        `config folder\tok\t${config} is private`,
        `config file\tok\t${config}/config.json can be read`,
        `token file\tok\t${config}/credentials.json: not created yet`,
        `state folder\tok\t${state}/stackops: not created yet`,
        'completion\tskipped\t$SHELL is not set',
        'profile\tok\tdefault (default)',
        `address\tok\t${service.url} (environment STACKOPS_BASE_URL)`,
        `sign-in address\tok\t${host}/ (origin of base_url)`,
        'token\tok\tenvironment STACKOPS_TOKEN: used, ****6789; token_command: not set; profile default: none',
        'proxy\tok\tno proxy is set',
        'connection\tok\tGET /reference/webserver_modules returned 200 in 0 ms; TCP and HTTP work',
        'TLS\tskipped\tplain HTTP on this machine',
        'clock\tok\t0 s from the service clock',
        'token accepted\tok\tvalid',
        'callback port\tok\tany free port (preferences)',
        '',
      ].join('\n'),
    });
    expect(service.seen.map(({ method, path, authorization }) => [method, path, authorization])).toEqual([
      ['GET', '/reference/webserver_modules', undefined],
      ['GET', '/accounts', `Bearer ${token}`],
    ]);
  });

  test('asks nothing of a network in the sandbox', async () => {
    const { code, rows, stderr } = await consult(doctorSetup({ STACKOPS_SANDBOX: '1' }));
    expect([code, stderr]).toEqual([0, '']);
    expect(rows.filter(({ state }) => state === 'skipped').map(({ check, found }) => `${check}: ${found}`)).toEqual([
      'node: unknown Node version',
      'completion: $SHELL is not set',
      'sign-in address: the embedded sandbox needs no sign-in',
      'proxy: the embedded sandbox needs no network',
      'connection: the embedded sandbox needs no network',
      'TLS: the embedded sandbox needs no network',
      'clock: the embedded sandbox needs no network',
      'token accepted: the embedded sandbox needs no network',
      'callback port: the embedded sandbox needs no network',
    ]);
  });

  test('is a table on a terminal, with the repairs whole below it', async () => {
    const { env } = doctorSetup({ STACKOPS_SANDBOX: '1' });
    chmodSync(env['STACKOPS_CONFIG_DIR'] ?? '', 0o755);
    const { stdout, stderr, code } = await run(['doctor', '--columns', 'check,state', '--color', 'always'], {
      env,
      terminal: 80,
    });
    expect(code).toBe(0);
    expect(stdout.split('\n').slice(0, 4)).toEqual([
      '\x1b[1mCHECK\x1b[22m            \x1b[1mSTATE\x1b[22m',
      'program          \x1b[32mok\x1b[39m',
      'node             skipped',
      'config folder    \x1b[33mwarning\x1b[39m',
    ]);
    expect(stderr).toBe(`fix config folder: chmod 700 ${env['STACKOPS_CONFIG_DIR']}\n`);
  });
});

describe('address, profile, token', () => {
  test('one thing that is missing is one problem', async () => {
    const { code, about, stderr, rows } = await consult(doctorSetup());
    expect(about('address')).toEqual({
      state: 'problem',
      found: 'no service address yet',
      repair: 'set base_url, such as https://host/api/3: stackops profile set --help',
    });
    expect(JSON.parse(stderr).error).toMatchObject({ message: '1 problem: address', exit_code: 1 });
    expect(rows.filter((row) => row.found === 'until the address is fixed').map(({ check }) => check)).toEqual([
      'sign-in address',
      'token',
      'proxy',
      'connection',
      'TLS',
      'clock',
      'token accepted',
    ]);
    expect(code).toBe(1);
  });

  test('a token that is missing is told without an address too', async () => {
    const { about, stderr } = await consult(doctorSetup({ STACKOPS_TOKEN: '' }));
    expect(about('token')).toEqual({
      state: 'problem',
      found: 'not signed in: STACKOPS_TOKEN is not set and profile default has no token',
      repair: 'stackops auth login',
    });
    expect(JSON.parse(stderr).error.message).toBe('2 problems: address, token');
  });

  test('an unknown profile is one problem', async () => {
    const { code, about, troubled } = await consult(doctorSetup({ STACKOPS_PROFILE: 'wrok' }));
    expect(code).toBe(1);
    expect(troubled).toEqual(['profile']);
    expect(about('profile')).toEqual({
      state: 'problem',
      found: 'unknown profile "wrok" (environment STACKOPS_PROFILE); known: default',
      repair: 'stackops profile list',
    });
    expect(about('token')).toEqual({ state: 'skipped', found: 'until the profile is fixed', repair: null });
  });

  test('plain http to another machine is a problem', async () => {
    const { about } = await consult(doctorSetup(), ['--base-url', 'http://stacks.invalid/api/3']);
    expect(about('address').found).toBe(
      '--base-url must be an https:// address (http:// only for this machine), not "http://stacks.invalid/api/3"',
    );
  });

  async function store({ env }: DoctorSetup, origin: string, scopes: readonly string[] = []): Promise<void> {
    const tokens = openTokenStore(
      () => findFolders(env, 'linux'),
      () => undefined,
    );
    await tokens.write('default', { token: 'stored-0123456789-0123456789', origin, scopes, obtained_at: '' });
  }

  test.each([
    [{ STACKOPS_SANDBOX: '1' }, [], 'agents=write', null],
    [{}, ['public'], 'agents=safe; the token only reads', null],
    [{}, ['public', 'admin'], 'agents=safe; the token could do more: it also has admin', 'warning'],
    [{}, [], 'agents=safe; the token could do more: it has unknown scopes', 'warning'],
  ] as const)(
    'the agent, its mode and what the token could do beyond it: %j %j',
    async (more, scopes, found, state) => {
      const { url } = await serve();
      const one = doctorSetup({ STACKOPS_TOKEN: '', STACKOPS_BASE_URL: url, AI_AGENT: 'test', ...more });
      await store(one, new URL(url).origin, scopes);
      const repair = state && 'stackops auth login --scope public';
      const { about } = await consult(one);
      expect(about('agent')).toEqual({ state: state ?? 'ok', found: `AI_AGENT is set: ${found}`, repair });
    },
  );

  test('the token of another service is kept from this one', async () => {
    const service = await serve();
    const one = doctorSetup({ STACKOPS_TOKEN: '', STACKOPS_BASE_URL: service.url });
    await store(one, 'https://other.example');
    const { about } = await consult(one);
    expect(about('token')).toEqual({
      state: 'problem',
      found: `the token of profile default is for https://other.example; it is not sent to ${new URL(service.url).origin}`,
      repair: 'stackops auth login',
    });
    expect(about('token accepted')).toEqual({ state: 'skipped', found: 'until the token is fixed', repair: null });
    expect(service.seen.map(({ authorization }) => authorization)).toEqual([undefined]);
  });

  test.each([
    [401, 'problem', 'the service refused the token from profile default (401)', 'stackops auth login'],
    [403, 'ok', 'valid (limited scopes); see stackops auth check', null],
    [500, 'warning', 'unclear: GET /accounts returned 500', 'run stackops doctor again in a minute'],
  ])('a token that is answered with %i', async (status, state, found, repair) => {
    const service = await serve((response, { path }) => (path === '/accounts' ? answer(status) : well)(response));
    const one = doctorSetup({ STACKOPS_TOKEN: '', STACKOPS_BASE_URL: service.url });
    await store(one, new URL(service.url).origin);
    const { about, code } = await consult(one);
    expect(about('token accepted')).toEqual({ state, found, repair });
    expect(code).toBe(state === 'problem' ? 1 : 0);
  });

  test('a refused token of the environment is not repaired by a sign-in', async () => {
    const service = await serve((response, { path }) => (path === '/accounts' ? answer(401) : well)(response));
    const { about, stdout } = await consult(doctorSetup({ STACKOPS_BASE_URL: service.url }));
    expect(about('token accepted').repair).toBe(
      'STACKOPS_TOKEN overrides the saved token: set another token, or unset it',
    );
    expect(stdout).not.toContain(token);
  });
});

describe('files', () => {
  const rightsOf = (path: string) => statSync(path).mode & 0o777;

  test('a folder that others could put another one in the place of is told', async () => {
    const service = await serve();
    const { config, state, ...one } = doctorSetup({ STACKOPS_TOKEN: '', STACKOPS_BASE_URL: service.url });
    mkdirSync(join(state, 'stackops'));
    chmodSync(state, 0o777);
    const { about } = await consult({ ...one, config, state });
    expect(about('state folder')).toEqual({
      state: 'problem',
      found: `cannot use ${join(state, 'stackops')}: others can write to ${state}`,
      repair: `chmod o-w ${state}`,
    });
  });

  test('rights that are too wide are told and left as they are', async () => {
    const service = await serve();
    const { config, state, ...one } = doctorSetup({ STACKOPS_TOKEN: '', STACKOPS_BASE_URL: service.url });
    const files = [join(config, 'config.json'), join(config, 'credentials.json')];
    writeFileSync(files[1] ?? '', '{}');
    mkdirSync(join(state, 'stackops'));
    for (const file of files) chmodSync(file, 0o644);
    for (const folder of [config, join(state, 'stackops')]) chmodSync(folder, 0o755);
    const { about, code, troubled } = await consult({ ...one, config, state });
    const wide = (path: string, mode: string, wanted: string) => ({
      state: 'warning',
      found: `${path} is open to other users (${mode})`,
      repair: `chmod ${wanted} ${path}`,
    });
    expect(about('config folder')).toEqual(wide(config, '0755', '700'));
    expect(about('config file')).toEqual(wide(join(config, 'config.json'), '0644', '600'));
    expect(about('token file')).toEqual(wide(join(config, 'credentials.json'), '0644', '600'));
    expect(about('state folder')).toEqual(wide(join(state, 'stackops'), '0755', '700'));
    expect(about('token')).toEqual({ state: 'skipped', found: 'until the token file is fixed', repair: null });
    expect(troubled).toEqual(['config folder', 'config file', 'token file', 'state folder']);
    expect(code).toBe(0);
    expect(files.map(rightsOf)).toEqual([0o644, 0o644]);
    expect([config, join(state, 'stackops')].map(rightsOf)).toEqual([0o755, 0o755]);
  });

  test('a token of the environment is used although the file is open', async () => {
    const { config, ...one } = doctorSetup();
    writeFileSync(join(config, 'credentials.json'), '{}');
    chmodSync(join(config, 'credentials.json'), 0o644);
    const { about } = await consult({ ...one, config }, ['--base-url', (await serve()).url]);
    expect(about('token').found).toBe('environment STACKOPS_TOKEN: used, ****6789');
    expect(rightsOf(join(config, 'credentials.json'))).toBe(0o644);
  });

  test('a configuration that stops every other command is one finding here', async () => {
    const service = await serve();
    const one = doctorSetup({ STACKOPS_TOKEN: '', STACKOPS_PROFILE: 'work' });
    const file = join(one.config, 'config.json');
    writeFileSync(file, '{"profiles": nonsense}');
    expect((await run(['config', 'list'], { env: one.env })).code).toBe(2);
    const { about, code } = await consult(one, ['--base-url', service.url]);
    expect(code).toBe(1);
    expect(about('config file')).toEqual({
      state: 'problem',
      found: `cannot use ${file}: invalid JSON at line 1, column 14`,
      repair: `correct the file, or move it away: mv ${file} ${file}.bad`,
    });
    expect(about('address').found).toBe(`${service.url} (flag --base-url)`);
    expect(about('connection').state).toBe('ok');
  });

  test('a machine without a home is told so', async () => {
    const { url } = await serve();
    const { about } = await consult(
      doctorSetup({ STACKOPS_CONFIG_DIR: '', XDG_STATE_HOME: '', STACKOPS_BASE_URL: url }),
    );
    const homeless = {
      state: 'problem',
      found: 'no folder for the files of stackops: HOME is not set',
      repair: 'export STACKOPS_CONFIG_DIR=/absolute/folder',
    };
    expect(about('config folder')).toEqual(homeless);
    expect(about('state folder')).toEqual(homeless);
    expect(about('config file')).toEqual({ state: 'skipped', found: 'until the config folder is fixed', repair: null });
    expect(about('token').found).toBe(
      'environment STACKOPS_TOKEN: used, ****6789; token_command: not set; profile default: unreadable',
    );
  });

  test('a folder that cannot be written is told, also where it would have to be made', async () => {
    const { config, state, ...one } = doctorSetup({ STACKOPS_SANDBOX: '1' });
    for (const folder of [config, state]) readOnly.add(folder);
    onTestFinished(() => readOnly.clear());
    const { about, code } = await consult({ ...one, config, state });
    const fixed = (path: string, variable: string) => ({
      state: 'warning',
      found: `cannot write ${path}: permission denied (EACCES)`,
      repair: `export ${variable}=/absolute/folder`,
    });
    expect(about('config folder')).toEqual(fixed(config, 'STACKOPS_CONFIG_DIR'));
    expect(about('state folder')).toEqual(fixed(join(state, 'stackops'), 'XDG_STATE_HOME'));
    expect(about('config file').found).toBe(`${config}/config.json can be read`);
    expect(code).toBe(0);
  });

  test('what is no folder, or no file, is a problem', async () => {
    const { config, state, ...one } = doctorSetup();
    writeFileSync(join(state, 'stackops'), '');
    mkdirSync(join(config, 'credentials.json'));
    const { about } = await consult({ ...one, config, state });
    expect(about('state folder')).toEqual({
      state: 'problem',
      found: `${state}/stackops is not a folder`,
      repair: `mv ${state}/stackops ${state}/stackops.bad`,
    });
    expect(about('token file').found).toBe(`${config}/credentials.json is a folder`);
  });
});
