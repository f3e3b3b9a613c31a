import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { State } from '../../src/sandbox/state.ts';
import { type AnswerMode, faultyService } from '../support/faulty.ts';
import { hasProgram } from '../support/programs.ts';
import { slowProperty } from '../support/property.ts';
import { freshState, startSandbox, type TestSandboxOptions } from '../support/sandbox.ts';
import { type RunOptions, run, temporaryFolder } from '../support/stackops.ts';

/** A folder with a file and folders of its own; `play` runs a command there. */
function workplace(text: string, env: Readonly<Record<string, string>>, clock: Pick<RunOptions, 'now' | 'slept'> = {}) {
  const folder = temporaryFolder();
  const file = join(folder, 'stackops.yaml');
  writeFileSync(file, text);
  const own = { STACKOPS_CONFIG_DIR: join(folder, 'config'), XDG_STATE_HOME: join(folder, 'state'), ...env };
  const play = async (words: string, options: RunOptions = {}, named = file) => {
    const at = words.indexOf(' ') < 0 ? words.length : words.indexOf(' ');
    const typed = `${words.slice(0, at)} ${named}${words.slice(at)}`;
    return run(typed.split(' '), { ...clock, ...options, env: { ...own, ...options.env } });
  };
  const rows = async (words = 'plan') => {
    const { stdout } = await play(`${words} --json`);
    return (
      JSON.parse(stdout) as { stacks: { changes: { path: string; action: string; why: string }[] }[] }
    ).stacks.flatMap(({ changes }) => changes.filter(({ action }) => action !== 'unchanged'));
  };
  return { folder, file, own, play, rows, lock: join(folder, 'stackops.lock') };
}

const shop = (more = '') =>
  `version: 1\nstack: shop/production\nenv: { LOG_LEVEL: debug, MOTTO: Read, TIME_ZONE: { absent: true } }\nsettings: { git.branch: release, git.repository: x }\n${more}`;
const consent = '--take file -y --confirm shop/production';

async function served(text: string, options: TestSandboxOptions = {}) {
  const state = options.state ?? freshState();
  let nowMs = Date.parse('2026-05-04T12:00:00Z');
  const now = () => new Date(nowMs);
  const slept = (ms: number) => {
    nowMs += ms;
  };
  const sandbox = await startSandbox({ now, ...options, state });
  const stack = state.stacks[0] as State['stacks'][number];
  return { ...workplace(text, sandbox.env, { now, slept }), sandbox, stack };
}

test('[15] a plan of 200 variables, 40 settings and 12 servers sends at most 37 requests, and only GET', async () => {
  const { play, sandbox, stack } = await served(
    shop(
      'servers: { "@app": { tags: [] , settings: {} } }\nprocesses: { web: { "@app": 0..9 } }\nstrict: [env, settings, servers, tags]\n',
    ),
  );
  const [variable, setting, server] = [stack.variables[4], stack.settings[1], stack.servers[0]] as const;
  if (!variable || !setting || !server) throw new Error('the seed has changed');
  const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);
  stack.variables = numbers(200).map((at) => ({ ...variable, id: 9000 + at, key: `KEY_${at}` }));
  Object.assign(stack, {
    processes: [],
    settings: numbers(40).map((at) => ({ ...setting, id: 9000 + at, key: `key.${at}` })),
  });
  stack.servers = numbers(12).map((at) => ({
    ...server,
    row: { ...server.row, uid: `${at}`.padStart(32, 'a'), name: `s-${at}`, server_roles: ['app'] },
  }));
  await play('drift --only env,settings,servers,tags');
  expect(sandbox.requests.length).toBeLessThanOrEqual(37);
  expect(sandbox.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});

test('[16] a section that cannot be read is 7, its plan is printed, and apply sends nothing', async () => {
  const { play, sandbox, folder } = await served(shop(), { faults: ['GET /stacks/*/settings=500'] });
  const { code, stdout } = await play('plan --exit-code --json');
  expect({ code, plan: JSON.parse(stdout) }).toMatchObject({
    code: 10,
    plan: { stacks: [{ complete: false, not_checked: ['settings'] }] },
  });
  expect((await play('plan')).code).toBe(7);
  const saved = await play(`plan --out ${join(folder, 'PLAN')} --take file --exit-code --json`);
  expect({ ...saved, plan: JSON.parse(saved.stdout || 'null') }).toMatchObject({
    code: 7,
    stderr: expect.stringContaining('; nothing was sent'),
    plan: { stacks: [{ complete: false, not_checked: ['settings'] }] },
  });
  expect(existsSync(join(folder, 'PLAN'))).toBe(false);
  expect((await play('drift --exit-code --only settings')).code).toBe(7);
  expect(await play(`apply ${consent}`)).toMatchObject({ code: 7, stdout: '' });
  expect((await play('pull -y')).code).toBe(7);
  expect(sandbox.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});

test('[17] a section without scope is 5, and stdout is empty', async () => {
  const { play } = await served(shop());
  expect(await play('plan', { env: { STACKOPS_TOKEN: 'sandbox_public' } })).toMatchObject({ code: 5, stdout: '' });
});

test.each<[AnswerMode, number]>(
  (['cut', 'break'] as const).flatMap((mode) => [0, 1, 2, 3, 4].map((passes): [AnswerMode, number] => [mode, passes])),
)('[27] %s after %i changes: the same command finishes', async (mode, passes) => {
  const service = await faultyService(mode, { passes });
  const { play, rows } = workplace(shop(), service.env);
  const clock = { now: () => new Date(service.seen.nowMs), slept: (ms: number) => service.seen.sleep(ms) };
  await play(`apply ${consent}`, clock);
  service.seen.sleep(60_000);
  const again = await play(`apply ${consent}`, clock);
  expect(again).toMatchObject({ code: 0 });
  service.seen.sleep(60_000);
  expect(await rows()).toEqual([]);
  const sent = service.seen.changes.length;
  expect((await play(`apply ${consent}`, clock)).code).toBe(0);
  expect(service.seen.changes).toHaveLength(sent);
});

test('[27] the lock is written for what was done before a signal', async () => {
  const stop = new AbortController();
  const service = await faultyService('hang', { passes: 2, onHang: () => stop.abort('SIGINT') });
  const { play, lock } = workplace(
    'version: 1\nstack: shop/production\nenv: { LOG_LEVEL: debug, MOTTO: a, B: b, C: c, D: d, E: e }\n',
    service.env,
  );
  await play(`apply ${consent}`, { signal: stop.signal });
  expect(existsSync(lock) && readFileSync(lock, 'utf8')).toMatch(/^shop\/production env\.\w+ \S+Z \d+ \S{16}$/m);
});

test.each([
  [
    'a variable',
    'env.LOG_LEVEL',
    ({ variables }: State['stacks'][number]) =>
      Object.assign(variables.find(({ key }) => key === 'LOG_LEVEL') ?? {}, { value: 'other' }),
  ],
  [
    'a setting',
    'settings.git.branch',
    ({ settings }: State['stacks'][number]) =>
      Object.assign(settings.find(({ key }) => key === 'git.branch') ?? {}, { value: 'other' }),
  ],
  [
    'a new variable',
    'env.MOTTO',
    (stack: State['stacks'][number]) => {
      const [row] = stack.variables;
      const isThere = stack.variables.some(({ key }) => key === 'MOTTO');
      if (row && !isThere) stack.variables.push({ ...row, id: 9000, key: 'MOTTO', value: 'other' });
    },
  ],
] as const)('[25] %s that another person sets before it is sent stays', async (_, path, change) => {
  const state = freshState();
  const [stack] = state.stacks;
  const { play } = await served(shop(), {
    state,
    // The last read of an item is that of its own address.
    onRequest: ({ method, path: at }) => {
      if (stack && method === 'GET' && /\/(environments|settings)\/\d+$/.test(at)) change(stack);
    },
  });
  const { code, stdout, stderr } = await play(`apply ${consent} --keep-going --json`);
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining(`${path} changed meanwhile`) });
  expect(stdout).toContain('"deleted"');
  const rows = JSON.stringify(stack);
  expect(rows).toContain('"value":"other"');
});

test('[18] a setting that an unfinished action changes is busy, and --if-busy wait waits for it', async () => {
  const { play, own, rows, stack } = await served(
    'version: 1\nstack: shop/production\nsettings: { git.branch: release }\n',
  );
  await run(['stack', 'settings', 'set', 'git.branch=other', '-s', 'shop'], { env: own });
  expect(await rows()).toMatchObject([{ path: 'settings.git.branch', action: 'busy' }]);
  expect((await play(`apply ${consent}`)).code).toBe(6);
  expect((await play(`apply ${consent} --if-busy wait`)).code).toBe(0);
  expect(stack.settings.find(({ key }) => key === 'git.branch')?.value).toBe('release');
});

test('[25] a value that another person sets after it was sent is no other form of it', async () => {
  const state = freshState();
  const { variables } = state.stacks[0] as State['stacks'][number];
  let isSent = false;
  const { play, rows } = await served('version: 1\nstack: shop/production\nenv: { LOG_LEVEL: debug }\n', {
    state,
    onRequest: ({ method, path }) => {
      const row = variables.find(({ key }) => key === 'LOG_LEVEL');
      if (isSent && row && method === 'GET' && path.endsWith('/environments'))
        Object.assign(row, { value: 'other', updated_at: '2026-05-04T12:00:01Z' });
      isSent ||= method === 'PUT';
    },
  });
  await play(`apply ${consent}`);
  expect(await rows()).toMatchObject([{ path: 'env.LOG_LEVEL', action: 'update', why: 'unknown' }]);
});

test('[25] two runs of apply do not change one stack at once', async () => {
  const text = 'version: 1\nstack: shop/production\nenv: { LOG_LEVEL: debug }\n';
  let other: Promise<{ code: number; stderr: string }> | undefined;
  let play: ReturnType<typeof workplace>['play'] | undefined;
  const found = await served(text, {
    onRequest: ({ method }) => {
      if (method === 'PUT') other ??= play?.(`apply ${consent}`);
    },
  });
  play = found.play;
  expect((await play(`apply ${consent}`)).code).toBe(0);
  // It either came too late to change anything, or was refused.
  expect([0, 6]).toContain((await other)?.code);
  expect(found.sandbox.requests).toHaveLength(0);
});

test('[6] a reference is masked everywhere, secret_command gets it as its last argument, and nothing else is started', async () => {
  const { play, folder, own, lock } = await served(
    'version: 1\nstack: shop/production\nenv: { MOTTO: { secret: op://motto }, B: { file: b.txt }, C: { env: C_VALUE } }\nsettings: { git.branch: { secret: op://branch } }\n',
  );
  const program = join(folder, 'op');
  writeFileSync(program, '#!/bin/sh\necho "text-of-$1"\n', { mode: 0o755 });
  writeFileSync(join(folder, 'b.txt'), 'text-of-file\n');
  expect((await play('plan')).stdout).toContain('! env.MOTTO  skipped: not resolved here');
  writeFileSync(join(folder, 'approve'), `#!/bin/sh\ncat > ${join(folder, 'asked')}\n`, { mode: 0o755 });
  const programs = [`secret_command=${program}`, `approve_command=${join(folder, 'approve')}`];
  await run(['profile', 'set', ...programs], { env: own });
  const env = { C_VALUE: 'text-of-env' };
  const shown = [
    await play('plan', { env }),
    await play('plan --output md', { env }),
    await play(`plan --json --take file --out ${join(folder, 'a.plan')}`, { env }),
    await play('apply --take file -n --json', { env }),
    await play(`apply ${consent} --json`, { env }),
    await run(['history', 'show', '1', '--json'], { env: own }),
  ];
  expect(shown.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0]);
  const written = ['a.plan', 'stackops.lock', 'asked'].map((name) => readFileSync(join(folder, name), 'utf8'));
  expect(existsSync(lock)).toBe(true);
  expect(JSON.stringify([shown, written])).not.toContain('text-of');
  expect(written.at(-1)).toContain('MOTTO');
  expect((await play('plan --exit-code', { env })).stderr).toContain('Nothing to change.');
  expect(await run(['stack', 'env', 'get', 'MOTTO', '-s', 'shop'], { env: own })).toMatchObject({
    stdout: 'text-of-op://motto\n',
  });
  // A setting from a reference has no undo.
  expect(await run(['history', 'undo', '1', '-y'], { env: own })).toMatchObject({ code: 6 });
  const changed = [
    await play('apply -y', { env: { C_VALUE: 'changed' } }),
    await run(['history', 'show', '2', '--json'], { env: own }),
  ];
  expect(changed.map(({ code }) => code)).toEqual([0, 0]);
  expect(JSON.stringify(changed)).not.toContain('text-of');
});

test('[4] two servers of one name are told with their line, beside the other impossible entries', async () => {
  const { play, stack, sandbox } = await served(
    shop('servers:\n  shop-web-1: { tags: [a] }\n  shop-web-9: { tags: [a] }\n'),
  );
  for (const { row } of stack.servers.slice(0, 2)) row.name = 'shop-web-1';
  const twice = /stackops\.yaml:6: servers\.shop-web-1\.tags: 2 servers are called "shop-web-1"/;
  for (const words of ['plan', `apply ${consent}`]) {
    const { code, stderr } = await play(words);
    expect({ code, stderr }).toMatchObject({ code: 6, stderr: expect.stringMatching(twice) });
    expect(stderr).toMatch(/stackops\.yaml:7: servers\.shop-web-9\.tags: server not found/);
  }
  expect((await play('drift')).stderr).toMatch(twice);
  expect(sandbox.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});

test('[13] a count on one of two servers of one name is left out', async () => {
  const { play, stack, file } = await served('version: 1\nstack: shop/production\n');
  for (const { row } of stack.servers.slice(0, 2)) row.name = 'shop-web-1';
  expect((await play('pull --only processes -y')).stderr).toMatch(
    /left out \(several servers have this name\): processes\.web\.shop-web-1, processes\.worker\.shop-web-1\n/,
  );
  expect(readFileSync(file, 'utf8')).not.toContain('shop-web-1');
  expect((await play('plan --exit-code')).code).toBe(0);
});

test('[13] of two variables of one key, pull writes the one that plan compares', async () => {
  const { play, stack } = await served('version: 1\nstack: shop/production\n');
  const [variable] = stack.variables.filter(({ key }) => key === 'LOG_LEVEL');
  if (variable) stack.variables.push({ ...variable, id: 9999, value: 'other' });
  expect((await play('pull --only env -y')).code).toBe(0);
  expect((await play('plan --exit-code')).code).toBe(0);
});

test('[14] [20] a value that the service hides is ***, also where no entry names it or one stack alone has it', async () => {
  const { play, own, stack } = await served(shop('strict: [env]\n'));
  for (const one of stack.variables) if (one.key === 'SMTP_PASSWORD') Object.assign(one, { value: '***' });
  const drift = JSON.parse((await play('drift --json')).stdout);
  const rows = drift.stacks[0].changes.filter(({ path }: { path: string }) => path === 'env.SMTP_PASSWORD');
  expect(rows).toMatchObject([{ why: 'unmanaged', before: '***', after: null }]);
  const diff = await run(['diff', 'shop', 'blog/staging', '--json'], { env: own });
  const differences = JSON.parse(diff.stdout).filter(({ path }: { path: string }) => path === 'env.SMTP_PASSWORD');
  expect(differences).toMatchObject([{ state: 'only_a', a: '***', b: null }]);
});

test('[30] a plan does not hold a stack only because an object has its name', async () => {
  const text = 'version: 1\nstacks: { shop/production: {}, constructor: {} }\nenv: { LOG_LEVEL: debug }\n';
  const state = freshState();
  Object.assign(state.stacks[1]?.row ?? {}, { name: 'constructor' });
  const { play, folder } = await served(text, { state });
  const plan = join(folder, 'PLAN');
  expect((await play(`plan -s shop/production --take file --out ${plan}`)).code).toBe(0);
  const { code, stderr } = await play('apply -n', {}, plan);
  expect({ code, stderr }).toMatchObject({ code: 0 });
});

test('[8] a lock that git tracks is refused for a file that git ignores', async ({ skip }) => {
  skip(!hasProgram('git'), 'there is no git here');
  const { play, folder } = await served(shop(), {});
  const git = (...words: string[]) => execFileSync('git', words, { cwd: folder, stdio: 'ignore' });
  expect((await play('pull -y', { env: { PATH: process.env['PATH'] ?? '' } })).code).toBe(0);
  git('init', '-q');
  git('add', 'stackops.lock');
  writeFileSync(join(folder, '.gitignore'), 'stackops.yaml\n');
  for (const words of ['pull -y', `apply ${consent}`]) {
    const { code, stderr } = await play(words, { env: { PATH: process.env['PATH'] ?? '' } });
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('must not track') });
  }
});

const edit = fc.constantFrom('file', 'service', 'both', 'touched', 'none');
slowProperty(
  '[10] an edit is never called drifted, and a foreign change never edited',
  [fc.array(edit, { minLength: 6, maxLength: 6 })],
  async (edits) => {
    const keys = ['APP_NAME', 'CURRENCY', 'LOG_LEVEL', 'MAX_THREADS', 'SMTP_HOST', 'TIME_ZONE'];
    const textWith = (value: (at: number) => string) =>
      `version: 1\nstack: shop/production\nenv:\n${keys.map((key, at) => `  ${key}: ${value(at)}\n`).join('')}`;
    const { play, file, lock, stack, rows } = await served(textWith(() => 'same'));
    for (const row of stack.variables) if (keys.includes(row.key)) row.value = 'same';
    await play('pull --lock-only');
    writeFileSync(
      file,
      textWith((at) => (edits[at] === 'file' || edits[at] === 'both' ? 'new' : 'same')),
    );
    for (const row of stack.variables) {
      const how = edits[keys.indexOf(row.key)];
      if (how === 'service' || how === 'both') row.value = 'foreign';
      if (how === 'service' || how === 'both' || how === 'touched') row.updated_at = '2026-05-04T11:59:00Z';
    }
    const whys = { file: 'edited', service: 'drifted', both: 'both' } as const;
    const expected = keys.flatMap((key, at) =>
      edits[at] !== undefined && edits[at] in whys ? [[`env.${key}`, whys[edits[at] as 'file']]] : [],
    );
    expect((await rows()).map(({ path, why }) => [path, why])).toEqual(expected);
    const codes = [(await play('plan --exit-code')).code, (await play('drift --exit-code')).code];
    expect(codes).toEqual([expected.length > 0 ? 10 : 0, expected.some(([, why]) => why !== 'edited') ? 10 : 0]);
    writeFileSync(lock, 'stackops-lock 1\n');
    expect((await rows()).every(({ why }) => why === 'unknown')).toBe(true);
  },
);
