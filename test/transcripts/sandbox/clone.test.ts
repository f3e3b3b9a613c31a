// own process: a full disk is played by a module in place of `node:fs`
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { seedMoment, seedState } from '../../../src/sandbox/seed/seed.ts';
import type { AccountState, StackState, State } from '../../../src/sandbox/state.ts';
import { forms } from '../../support/reply-forms.ts';
import { freshState, startSandbox, type TestSandboxOptions } from '../../support/sandbox.ts';
import { reply, startService } from '../../support/service.ts';
import { type RunOptions, run, temporaryFolder } from '../../support/stackops.ts';
import { transcriptFile } from '../../support/transcript.ts';
import { writes } from '../../support/writes.ts';

const disk = vi.hoisted(() => ({ isFull: false }));
vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>();
  return {
    ...real,
    writeFileSync: (...given: Parameters<typeof real.writeFileSync>) => {
      if (disk.isFull && typeof given[0] === 'number' && String(given[1]).length > 1000) {
        throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
      }
      real.writeFileSync(...given);
    },
  };
});

/** A service to copy, and a folder for the copies of it. */
async function source(options: TestSandboxOptions = {}) {
  const now = () => seedMoment;
  const service = await startSandbox({ now, ...options });
  const state = temporaryFolder();
  const env = { ...service.env, XDG_STATE_HOME: state };
  const file = join(state, 'stackops', 'sandbox.json');
  const clone = (words = '', more: RunOptions = {}) =>
    run(['sandbox', 'clone', '-s', 'shop', ...words.split(' ').filter(Boolean)], { env, ...more });
  return { ...service, env, file, clone, stored: (): State => JSON.parse(readFileSync(file, 'utf8')) };
}

test('a copy is used, asked about and reset', transcriptFile);
test('a program rehearses on a copy of its own', transcriptFile);
test('what is wrong has its exit code', transcriptFile);
test('a section that is not shown is named everywhere', transcriptFile);

test('it sends GET only, at most 12 for a stack, 3 for a server and 1 for each further page', async () => {
  const { clone, requests, file, stored } = await source();
  expect(await clone()).toMatchObject({ code: 0 });
  expect(new Set(requests.map(({ method }) => method))).toEqual(new Set(['GET']));
  expect(requests.length).toBeLessThanOrEqual(12 + 4 * 3 + 1);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  // A generated word makes no secret of the variables that are equal to it.
  expect(stored().stacks[0]?.variables[0]).toMatchObject({ key: 'RAILS_ENV', value: 'production' });
});

test('at most four requests are under way', async () => {
  let [open, most] = [0, 0];
  const state = freshState();
  const served = await startSandbox({ state, latencyMs: 20 });
  const service = await startService(async ({ method, path, query }, response) => {
    open += 1;
    most = Math.max(most, open);
    const headers = { authorization: `Bearer ${served.token}` };
    const answer = await fetch(`${served.url.href}${path}?${query}`, {
      method,
      headers,
    });
    const text = await answer.text();
    open -= 1;
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  });
  expect(await run(['sandbox', 'clone', '-s', 'shop'], { env: service.env })).toMatchObject({ code: 0 });
  expect(most).toBe(4);
});

/** Puts a canary into each secret of the service. */
function withCanaries(state: State): readonly string[] {
  const canaries: string[] = [];
  const canary = (before = '') => {
    canaries.push(`canary${canaries.length}Ünseen`);
    return `${before}${canaries.at(-1)}`;
  };
  const [stack, account] = [state.stacks[0] as StackState, state.accounts[0] as AccountState];
  account.row.server_registration_script = canary('curl https://register.example/');
  for (const gateway of account.gateways) gateway.content = canary();
  stack.row.redeploy_hook = canary('https://hooks.example/');
  stack.row.git = `${canary('https://deploy:')}@git.example/shop.git`;
  for (const { row } of stack.deployments) row.commit_url = `${stack.row.git}/commit/1`;
  for (const variable of stack.variables)
    variable.history = [{ key: 1, value: canary(), created_at: '', updated_at: '' }];
  const [one, two, three, ...others] = stack.variables;
  Object.assign(one ?? {}, { is_password: true, value: `${canary()},=;` });
  Object.assign(two ?? {}, { key: 'API_TOKEN', value: canary() });
  Object.assign(three ?? {}, { is_generated: true, value: canary() });
  const url = canary('postgres://app:');
  Object.assign(others[0] ?? {}, { value: `${url}@db.example/shop` });
  Object.assign(others[1] ?? {}, { value: one?.value });
  Object.assign(others[2] ?? {}, { value: `host=db password=${one?.value},port=1` });
  Object.assign(others[3] ?? {}, { value: `before${one?.value}after` });
  for (const variable of others.slice(1)) variable.history = [];
  const settings = [stack.settings, ...stack.servers.map((server) => server.settings)];
  for (const [setting] of settings) Object.assign(setting ?? {}, { key: 'smtp.password', value: canary() });
  for (const user of stack.groups.flatMap(({ users }) => users)) user.password = canary();
  for (const { row } of stack.backups) row.backup_result = `no login with ${one?.value}`;
  withAddresses(stack, canary);
  return canaries.filter((value) => JSON.stringify(state).includes(value));
}

function withAddresses(
  { processes, backups, settings, variables }: StackState,
  canary: (before: string) => string,
): void {
  for (const one of processes) {
    const command = `${canary('worker --cache=redis://:')}@cache.example/0 ${canary('--api-key=')} --secret=off`;
    Object.assign(one, { command });
  }
  Object.assign(processes[0] ?? {}, { command: `run --token=${variables[0]?.value} --secret=off` });
  for (const { row } of backups) row.restore_result = `${canary('failed: postgres://app:')}@db.example/shop`;
  Object.assign(variables[7] ?? {}, { value: canary('https://metrics.example/?token=') });
  const [, one, two] = settings;
  Object.assign(one ?? {}, { key: 'smtp.password', value: { old: canary('') } });
  Object.assign(two ?? {}, { value: `${canary('https://token_of_the_robot_')}@git.example/shop` });
}

test('no secret of the service is on the disk or the screen', async () => {
  const state = freshState();
  const canaries = withCanaries(state);
  expect(canaries.length).toBeGreaterThan(15);
  const { clone, env, file, stored } = await source({ state });
  const cloned = await clone('-v --json');
  const ran = await run(['sandbox', 'run', '--clone', 'shop', '--', 'true'], { env });
  const seen = [
    JSON.stringify([cloned, ran]),
    ...readdirSync(join(file, '..')).map((name) => readFileSync(join(file, '..', name), 'utf8')),
  ];
  for (const text of seen) expect(canaries.filter((value) => text.includes(value))).toEqual([]);
  // Equal values stay equal, and a value keeps its kind.
  const [one, , , four, five] = stored().stacks[0]?.variables ?? [];
  expect(five?.value).toBe(one?.value);
  expect(stored().stacks[0]?.processes[0]?.command).toBe(`run --token=${one?.value} --secret=off`);
  expect(four?.value).toMatch(
    /^[a-z]{8}:\/\/[a-z]{3}:[a-z\d]{13}@[a-z]{2}\.[a-z]{7}\/[a-z]{4}$|^postgres:\/\/[a-z]{3}:/,
  );
});

test('two copies differ only in what was made up, and in the time', async () => {
  const { clone, stored } = await source();
  const [one, other] = [await clone().then(stored), await clone().then(stored)];
  const without = ({ copy, ...state }: State) => {
    const texts = JSON.stringify([state, copy?.first]);
    return (copy?.madeUp ?? [])
      .toSorted((a, b) => b.length - a.length)
      .reduce((text, made) => text.replaceAll(made, ''), texts);
  };
  const plain = (state: State) => without(state).replaceAll(/"password":"[^"]*"|\\"password\\":\\"[^"]*"/g, '');
  expect(plain(one).length).toBe(plain(other).length);
  expect(one.copy?.madeUp).not.toEqual(other.copy?.madeUp);
});

test('--anonymous replaces addresses and names of people', async () => {
  const { clone, file } = await source();
  await clone('--anonymous');
  const text = readFileSync(file, 'utf8');
  const { users: _, clusters: __, ...copied } = JSON.parse(text);
  expect(JSON.stringify(copied)).not.toMatch(/203\.0\.113|10\.0\.0\.|2001:db8|(mara|owner|ada)@/);
  expect(copied.stacks[0].servers[0].row).toMatchObject({
    name: 'shop-web-1',
    ext_ipv4: expect.stringMatching(/^198\.18\./),
  });
});

test('a service that speaks another form is copied alike', async () => {
  const copies: string[][] = [];
  for (const form of ['documented', 'actions', 'legacy'] as const) {
    const { clone, env } = await source(forms[form]);
    await clone();
    const lists = [
      'variant list',
      'process list',
      'server list',
      'tags list server/shop-web-1',
      'db list',
      'stack settings list',
    ];
    const outputs: string[] = [];
    for (const words of lists)
      outputs.push((await run([...words.split(' '), '-s', 'shop', '--sandbox'], { env })).stdout);
    copies.push(outputs);
  }
  expect(copies[1]).toEqual(copies[0]);
  expect(copies[2]).toEqual(copies[0]);
});

test('numbers as text and absent fields are read, and an unknown value is kept until a write', async () => {
  const state = freshState();
  const [stack] = state.stacks;
  if (!stack) throw new Error('no stack');
  Object.assign(stack.row, { status: '17', last_activity: undefined });
  const served = await startSandbox({ state });
  const service = await startService(async ({ path, query }, response) => {
    const answer = await fetch(`${served.url.href}${path}?${query}`, {
      headers: { authorization: `Bearer ${served.token}` },
    });
    const text = (await answer.text())
      .replaceAll(/"(status|percentage|health_state|readonly)":(\d+|true|false)/g, '"$1":"$2"')
      .replaceAll(/"status":"1"/g, '"status":"17"')
      .replaceAll(/,"(history|server_roles)":\[\]/g, '');
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  });
  const env = { ...service.env, STACKOPS_TOKEN: 'sandbox_all', XDG_STATE_HOME: temporaryFolder() };
  const cloned = await run(['sandbox', 'clone', '-s', 'shop'], { env });
  expect(cloned, cloned.stderr).toMatchObject({ code: 0 });
  const status = async () => (await run(['stack', 'list', '--sandbox', '--fields', 'status'], { env })).stdout;
  expect(await status()).toBe('17\n');
  expect(await run(['variant', 'weight', 'va-canary', '25', '-s', 'shop', '--sandbox'], { env })).toMatchObject({
    code: 0,
  });
  expect(await run(['env', 'set', 'LOG_LEVEL=debug', '-s', 'shop', '--sandbox'], { env })).toMatchObject({ code: 0 });
  await run(['redeploy', '-y', '-s', 'shop', '--sandbox'], { env });
  expect(await status()).toBe('queued\n');
});

describe('the sandbox before it stays whole', () => {
  const prepare = async () => {
    const one = await source();
    await run(['sandbox', 'reset'], { env: one.env });
    return { ...one, text: readFileSync(one.file, 'utf8'), left: () => readdirSync(join(one.file, '..')) };
  };

  test('when it ends at any request', async () => {
    const { clone, file, text, requests, left } = await prepare();
    for (let at = 1; ; at += 1) {
      const stop = new AbortController();
      const begun = requests.length;
      const watched = setInterval(() => requests.length >= begun + at && stop.abort('SIGTERM'), 0);
      const { code } = await clone('', { signal: stop.signal });
      clearInterval(watched);
      if (code === 0) break;
      expect(code).toBe(143);
      expect(readFileSync(file, 'utf8')).toBe(text);
      expect(left()).toEqual(['sandbox.json']);
    }
  });

  test('when the disk is full', async () => {
    const { clone, file, text, left } = await prepare();
    disk.isFull = true;
    const { code, stderr } = await clone().finally(() => {
      disk.isFull = false;
    });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('no space is left on the device') });
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(left()).toEqual(['sandbox.json']);
  });

  test.each([
    ['a connection is lost', 'GET /stacks/*/servers=reset', 7],
    ['the token is refused', 'GET /stacks/*/backups=401', 4],
    ['the stacks cannot be read', 'GET /stacks=503', 7],
    ['the service is too busy', 'GET /stacks/*/processes=429', 7],
  ])('when %s', async (_, fault, code) => {
    const { file, text, env } = await prepare();
    const failing = await startSandbox({ faults: [fault] });
    const ran = await run(['sandbox', 'clone', '-s', 'shop'], { env: { ...env, ...failing.env } });
    expect(ran, ran.stderr).toMatchObject({ code, stdout: '' });
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  test('when the service lies about pages', async () => {
    const { file, text, env } = await prepare();
    const [stack] = seedState(seedMoment).stacks;
    const lie = { previous: null, next: 2, current: 1, per_page: 30, count: 1, pages: 3 };
    const service = await startService(({ path }, response) => {
      const isList = path.endsWith('/environments');
      const response_ = path.endsWith('/stacks') ? [stack?.row] : [];
      reply(response, { response: response_, ...(isList && { pagination: lie }) });
    });
    const ran = await run(['sandbox', 'clone', '-s', 'shop'], { env: { ...env, ...service.env } });
    expect(ran).toMatchObject({ code: 7, stdout: '' });
    expect(readFileSync(file, 'utf8')).toBe(text);
  });
});

test('200 servers and 5,000 variables take linear time', async () => {
  const sized = async (factor: number) => {
    const state = freshState();
    const [stack] = state.stacks;
    const [server] = stack?.servers ?? [];
    const [variable] = stack?.variables ?? [];
    if (!stack || !server || !variable) throw new Error('no stack');
    stack.variables = Array.from({ length: 1250 * factor }, (_, n) => ({
      ...variable,
      id: n + 1,
      key: `KEY_${n}`,
      value: `secret value ${n}`,
      is_password: true,
    }));
    stack.servers = Array.from({ length: 50 * factor }, (_, n) => ({
      ...server,
      row: { ...server.row, uid: String(n).padStart(32, '0'), name: `web-${n}` },
    }));
    const { clone, stored } = await source({ state });
    const before = process.cpuUsage();
    expect(await clone('', { now: () => seedMoment })).toMatchObject({ code: 0 });
    const { user } = process.cpuUsage(before);
    expect(stored().stacks[0]?.servers).toHaveLength(50 * factor);
    return user;
  };
  const least = async (factor: number) => Math.min(await sized(factor), await sized(factor), await sized(factor));
  await sized(1);
  // Time of the processor, the least of three: it does not depend on what else runs. Quadratic time would be 16 times.
  const [small, large] = [await least(1), await least(4)];
  expect(large).toBeLessThan(10 * small);
});

describe('every write runs on a copy of a service with forms of its own', () => {
  test.each(['actions', 'legacy'] as const)('%s', { timeout: 120_000 }, async (form) => {
    const { env, file } = await source(forms[form]);
    await run(['sandbox', 'clone', '-s', 'shop,blog/staging,blog/production'], { env });
    const text = readFileSync(file, 'utf8');
    for (const { words, stdin = '', first, env: own } of writes) {
      mkdirSync(join(file, '..'), { recursive: true });
      writeFileSync(file, text, { mode: 0o600 });
      const options = { env: { ...env, ...own }, stdin };
      if (first) expect(await run([...first, '--sandbox'], options)).toMatchObject({ code: 0 });
      const ran = await run([...words, '--sandbox'], options);
      expect(ran, words.join(' ')).toMatchObject({ code: 0 });
    }
  });
});

test('a copy is served to other programs, and a ramp runs on it', async () => {
  const { env, clone, stored } = await source();
  await clone();
  const served = await startSandbox({ state: stored(), strict: false });
  const options = { env: { ...served.env, XDG_STATE_HOME: env.XDG_STATE_HOME } };
  const ramp = 'variant ramp va-canary -s shop --steps 25,50 --every 1m --check true -y'.split(' ');
  const ramped = await run(ramp, options);
  expect(ramped, ramped.stderr).toMatchObject({ code: 0 });
  const { stdout } = await run(['variant', 'list', '-s', 'shop', '--fields', 'uid,percentage'], options);
  expect(stdout).toContain('va-canary\t50\n');
});

test('a state file is applied to a copy', async () => {
  const { env, clone } = await source();
  const file = join(temporaryFolder(), 'stackops.yaml');
  expect(await run(['pull', file, '-s', 'shop', '-y'], { env })).toMatchObject({ code: 0 });
  await clone();
  writeFileSync(file, readFileSync(file, 'utf8').replace('LOG_LEVEL: info', 'LOG_LEVEL: debug'));
  const applied = await run(['apply', file, '-y', '--sandbox'], { env });
  expect(applied, applied.stderr).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('LOG_LEVEL updated (info -> debug)'),
  });
  expect((await run(['env', 'get', 'LOG_LEVEL', '-s', 'shop'], { env })).stdout).toBe('info\n');
  expect(JSON.parse((await run(['sandbox', 'verify', '--json'], { env })).stdout)).toMatchObject([
    { name: 'LOG_LEVEL', state: 'valid' },
  ]);
});
