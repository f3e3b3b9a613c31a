import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ownEnvironment, runBuilt } from '../../support/built.ts';
import { startService } from '../../support/service.ts';
import { run, temporaryFolder } from '../../support/stackops.ts';
import { canary, crmUid, serveNames } from './service.ts';
import { tab, tabbed } from './tab.ts';

const beginning = new Date('2026-05-04T12:00:00Z');
const later = (minutes: number) => () => new Date(beginning.getTime() + minutes * 60_000);

async function served(more: Readonly<Record<string, string>> = {}) {
  const service = await serveNames(beginning);
  const cache = temporaryFolder();
  const env = {
    STACKOPS_BASE_URL: service.url,
    STACKOPS_TOKEN: 'token-of-the-test',
    STACKOPS_STACK: 'my shop',
    XDG_CACHE_HOME: cache,
    STACKOPS_CONFIG_DIR: temporaryFolder(),
    ...more,
  };
  const paths = () => service.seen.map(({ method, path }) => `${method} ${path}`);
  return { service, env, paths, file: join(cache, 'stackops/completion/default.json') };
}

// The first of all: what it loads must not count against the second of those below.
test('a service that is not there has no names', async () => {
  const env = {
    STACKOPS_BASE_URL: 'http://127.0.0.1:9/api/3',
    STACKOPS_TOKEN: 'none',
    XDG_CACHE_HOME: temporaryFolder(),
  };
  expect(await tab('stack get ', { env })).toEqual([]);
});

test('the paths of a stack file are offered to --ignore, none of a file with mistakes or of a missing one', async () => {
  const [file, broken] = ['stackops.yaml', 'broken.yaml'].map((name) => join(temporaryFolder(), name)) as [
    string,
    string,
  ];
  const servers = 'servers: { "@web": { tags: [eu] }, shop-db-1: { tags: [db] } }';
  writeFileSync(file, `version: 1\nstack: shop\nenv: { A: 1, B: 2 }\nsettings: { git.branch: main }\n${servers}\n`);
  writeFileSync(broken, 'version: 1\nstack: shop\nenv: { A: 1\n');
  const all = ['env.A\t', 'env.B\t', 'settings.git.branch\t', 'servers.shop-db-1.tags\t'];
  expect(await tab(`plan ${file} --ignore `)).toEqual(all);
  expect(await tab(`drift ${file} --ignore env.A,`)).toEqual(all.slice(1).map((path) => `env.A,${path}`));
  expect(await tab(`plan ${broken} --ignore `)).toEqual([]);
  expect(await tab('plan --ignore ')).toEqual([]);
});

describe('names of the service', () => {
  test.each([
    ['stack get ', ['my shop\tproduction', 'crm\tstaging']],
    ['-s ', ['my shop\tproduction', 'crm\tstaging']],
    ['-s crm,', ['crm,my shop\tproduction']],
    ['stack env get ', ['LOG_LEVEL\t', 'LOG_FORMAT\tread-only', 'APP\t']],
    ['stack env get -s crm ', ['CRM_KEY\t']],
    [`stack env get --stack=${crmUid} `, ['CRM_KEY\t']],
    ['stack env get -s crm,my ', ['CRM_KEY\t']],
    ['stack env set ', ['LOG_LEVEL=\t', 'LOG_FORMAT=\tread-only', 'APP=\t']],
    ['stack env set APP=1 LOG_LEVEL=x ', ['LOG_FORMAT=\tread-only']],
    ['stack env unset APP LOG_', ['LOG_LEVEL\t', 'LOG_FORMAT\tread-only']],
    ['stack settings get ', ['git.branch\t']],
    ['stack settings set ', ['git.branch=\t']],
    ['server get ', ["it's\tweb and db", 'we$t\t', 'a"b\t']],
    ['server ssh ', ["it's\tweb and db", 'we$t\t', 'a"b\t']],
    ["server ssh it's ", ['--\tA program follows.']],
    ['server run ', ['--\tA program follows.', "it's\tweb and db", 'we$t\t', 'a"b\t']],
    ["server run it's ", ['--\tA program follows.', 'we$t\t', 'a"b\t']],
    ['server cp ', ["it's:\ta path on this server", 'we$t:\ta path on this server', 'a"b:\ta path on this server']],
    ['server cp /tmp/a', ['files']],
    ['server cp note', ['files']],
    ["server settings get it's ", ['server.name\t']],
    ['server settings get c1a7d3e95b2f4860a1b2c3d4e5f60718 ', ['server.name\t']],
    ['server settings get nobody ', []],
    ['process get ', ['cron:daily\t1 running', 'mail worker\t5 running']],
    ['process scale ', ['cron:daily=\t1 running', 'mail worker=\t5 running']],
    ["process list --server it'", ["it's\tweb and db", 'we$t\t', 'a"b\t']],
    ['deployment get ', ['latest\t', 'live\t', '1042\t3d ago, failed, 9d4e1f7', '1041\t20d ago, success, d8b847d']],
    ['action get ', ['latest\t']],
    [
      'stack env diff --since-deployment ',
      ['live\t', '1042\t3d ago, failed, 9d4e1f7', '1041\t20d ago, success, d8b847d'],
    ],
    ['variant weight ', ['va-active\tactive, 90 %', 'va-canary\tcanary, 10 %']],
    ['variant weight va-canary ', []],
    ['db user delete ', ['app\t']],
    ['db create reports --user ', ['du1\tapp']],
    ['tags list ', ['server/\t', 'loadbalancer/\t']],
    ['tags list server/c', expect.arrayContaining(["server/c1a7d3e95b2f4860a1b2c3d4e5f60718\tit's"])],
    ['tags patch server/c1a7d3e95b2f4860a1b2c3d4e5f60718 --delete ', ['eu\t', 'nightly\t']],
    ['tags set server/c1a7d3e95b2f4860a1b2c3d4e5f60718 eu ', ['nightly\t']],
    ['diff ', ['my shop\tproduction', 'crm\tstaging']],
    ['diff crm ', ['my shop\tproduction', 'crm\tstaging']],
    ['diff crm crm --only ', ['env\t', 'settings\t', 'servers\t', 'tags\t', 'processes\t']],
    ['plan ', ['files']],
    ['plan -s ', ['my shop\tproduction', 'crm\tstaging']],
    ['drift --only tags,', ['tags,env\t', 'tags,settings\t', 'tags,servers\t', 'tags,processes\t']],
    ['apply --lock ', ['files']],
    ['apply --take ', ['file\t', 'service\t']],
    ['user update 7 --role ', ['my shop=\tproduction', 'crm=\tstaging']],
    ['user update 7 --role crm=D', expect.arrayContaining(['crm=Deployer\t'])],
    ['backup url latest ', ['tar\tshop_prod.tar.gz']],
    ['backup url 906 ', []],
    ['cluster get ', []],
  ])('%s', async (line, expected) => {
    const { env } = await served();
    expect(await tab(line, { env, now: () => beginning })).toEqual(expected);
  });

  test('in the sandbox, and without a file', async () => {
    const cache = temporaryFolder();
    const env = { XDG_CACHE_HOME: cache };
    expect(await tabbed('--sandbox -s shop variant weight ', { env })).toEqual([
      'va-active',
      'va-canary',
      'va-preview',
    ]);
    expect(readdirSync(cache)).toEqual([]);
  });

  test('what would steer the terminal, pass for a flag or end its item is left out', async () => {
    const names = ['fine', 'esc\x1b[2J', 'two\nlines', 'bidi\u202e', '-rf', 'a,b', ''];
    const { env } = await startService((_, response) => {
      const rows = names.map((name, at) => ({ uid: `u${at}`, name, environment: 'p\x1b]0;x\x07' }));
      response.end(
        JSON.stringify({ response: rows, count: rows.length, pagination: { next: null, current: 1, pages: 1 } }),
      );
    });
    expect(await tab('stack get ', { env })).toEqual(['fine\tp\\x1b]0;x\\x07', 'a,b\tp\\x1b]0;x\\x07']);
    expect(await tabbed('-s ', { env })).toEqual(['fine']);
  });
});

describe('what is kept', () => {
  test('names alone, ours alone, and no value', async () => {
    const { env, file } = await served();
    for (const line of ['stack env get ', 'process get ', 'deployment get ', 'db user delete ', 'stack get ']) {
      await tab(line, { env });
    }
    const text = readFileSync(file, 'utf8');
    expect(text).not.toContain(canary);
    expect(text).not.toContain('token-of-the-test');
    expect(text).toContain('LOG_LEVEL');
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
    expect((statSync(join(file, '..')).mode & 0o777).toString(8)).toBe('700');
  });

  test('is asked for again when it is old: a minute for what goes on by itself, else five', async () => {
    const { env, paths, service } = await served();
    const asked = async (line: string, now: () => Date) => {
      service.seen.length = 0;
      await tab(line, { env, now });
      return paths().length;
    };
    expect(await asked('deployment get ', later(0))).toBe(2);
    expect(await asked('deployment get ', later(1))).toBe(0);
    expect(await asked('deployment get ', later(2))).toBe(2);
    expect(await asked('stack env get ', later(0))).toBe(2);
    expect(await asked('stack env get ', later(5))).toBe(0);
    expect(await asked('stack env get -s crm ', later(5))).toBe(2);
    expect(await asked('stack env get ', later(6))).toBe(2);
  });

  test('belongs to a profile and a service', async () => {
    const { env, paths } = await served();
    await tab('stack get ', { env });
    const other = await serveNames(beginning);
    await tab('stack get ', { env: { ...env, STACKOPS_BASE_URL: other.url } });
    expect([paths().length, other.seen.length]).toEqual([1, 1]);
  });

  test('belongs to a token', async () => {
    const { env, paths } = await served();
    await tab('stack get ', { env });
    expect(await tab('stack get ', { env: { ...env, STACKOPS_TOKEN: '' } })).toEqual([]);
    expect(paths().length).toBe(1);
    await tab('stack get ', { env: { ...env, STACKOPS_TOKEN: 'token-of-another-test' } });
    expect(paths().length).toBe(2);
  });

  test.each(['{', '[]', '{"service":7}', '{"service":"SERVICE","lists":{"stack":{"atMs":1,"names":[7]}}}'])(
    'a file of %s is as good as none',
    async (text) => {
      const { env, file } = await served();
      mkdirSync(join(file, '..'), { recursive: true });
      await tab('stack get ', { env });
      const own = JSON.parse(readFileSync(file, 'utf8')).service;
      writeFileSync(file, text.replace('SERVICE', own));
      expect(await tabbed('stack get ', { env })).toEqual(['my shop', 'crm']);
    },
  );

  test('a folder that cannot be written changes nothing', async () => {
    const { env } = await served();
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    expect(await tabbed('stack get ', { env: { ...env, XDG_CACHE_HOME: file } })).toEqual(['my shop', 'crm']);
  });
});

/** Variables on pages of 30, of which those after `last` are never sent; then the second is over. */
async function servePages(count: number, last = Infinity) {
  const patience = new AbortController();
  const pages = Math.ceil(count / 30);
  const service = await startService(({ path, query }, response) => {
    const current = Number(new URLSearchParams(query).get('page') ?? 1);
    if (current > last) return patience.abort();
    const rows = Array.from({ length: Math.min(30, count - (current - 1) * 30) }, (_, at) => ({
      ...(path.endsWith('environments') ? { key: `KEY_${(current - 1) * 30 + at}` } : { uid: 'u', name: 'shop' }),
    }));
    const next = current < pages ? current + 1 : null;
    response.end(JSON.stringify({ response: rows, count, pagination: { next, current, pages } }));
  });
  const cache = { XDG_CACHE_HOME: temporaryFolder(), STACKOPS_STACK: '5f3c0000000000000000000000000001' };
  return { service, env: { ...service.env, ...cache }, deadline: patience.signal };
}

describe('a long list', () => {
  test('is offered to its end, and kept for an hour', async () => {
    const { env, service } = await servePages(5000);
    expect(await tabbed('stack env get KEY_49', { env, now: later(0) })).toHaveLength(5000);
    expect(service.seen).toHaveLength(167);
    expect(await tabbed('stack env get KEY_4999', { env, now: later(59) })).toContain('KEY_4999');
    expect(service.seen).toHaveLength(167);
  });

  test('is offered as far as it came within the second', async () => {
    const { env, deadline } = await servePages(5000, 40);
    expect(await tabbed('stack env get ', { env, now: later(0), deadline })).toHaveLength(1200);
    expect(await tabbed('stack env get ', { env, now: later(0) })).toHaveLength(1200);
  });
});

describe('a service that does not help', () => {
  async function serving(answer: Parameters<typeof startService>[0]) {
    const service = await startService(answer);
    return service;
  }

  test('that never answers is not waited for; then what was kept is offered, or nothing', async () => {
    const { env, service } = await served();
    await tab('stack get ', { env, now: later(0) });
    const url = new URL(service.url);
    await service.close();
    const patience = new AbortController();
    const silent = await serving(() => patience.abort());
    const bare = { ...env, STACKOPS_BASE_URL: silent.url, XDG_CACHE_HOME: temporaryFolder() };
    expect(await tab('stack get ', { env: bare, now: later(30), deadline: patience.signal })).toEqual([]);
    expect(silent.seen.map(({ path }) => path)).toEqual(['/stacks']);
    // The next TAB does not wait again.
    expect(await tab('stack get ', { env: bare, now: later(30) })).toEqual([]);
    expect(silent.seen.length).toBe(1);
    // At the old address nobody listens any more.
    expect(url.port).not.toBe(new URL(silent.url).port);
    expect(await tabbed('stack get ', { env, now: later(30) })).toEqual(['my shop', 'crm']);
    expect(await tabbed('stack get ', { env, now: later(61) })).toEqual([]);
  });

  test('that never answers does not keep the built program either', async () => {
    const silent = await serving(() => undefined);
    const env = ownEnvironment({ STACKOPS_BASE_URL: silent.url, XDG_CACHE_HOME: temporaryFolder() });
    const ended = await runBuilt(['__complete', 'fish', '--', 'stack', 'get', ''], { env });
    expect(ended).toMatchObject({ code: 0, stdout: 'names\n\n', stderr: '' });
  });

  test.each([401, 403, 404, 429, 500, 503])('that answers %d is asked once, and nothing is said', async (status) => {
    const service = await serving((_, response) => {
      response.writeHead(status, { 'retry-after': '0' });
      response.end('no');
    });
    const env = { STACKOPS_BASE_URL: service.url, STACKOPS_TOKEN: 'token-of-the-test' };
    const words = ['__complete', 'zsh', '--', 'stack', 'get', ''];
    expect(await run(words, { env, terminal: 80 })).toEqual({ code: 0, stdout: 'names\n\n', stderr: '' });
    expect(service.seen.length).toBe(1);
  });

  test('is not asked without a token, and nobody is asked to sign in', async () => {
    const service = await serving((_, response) => void response.end('{}'));
    const words = ['__complete', 'zsh', '--', 'stack', 'get', ''];
    const ran = await run(words, { env: { STACKOPS_BASE_URL: service.url }, terminal: 80, typed: ['y'] });
    expect(ran).toEqual({ code: 0, stdout: 'names\n\n', stderr: '' });
    expect(service.seen).toEqual([]);
  });

  test('is not asked for words, flags, choices and fields', async () => {
    const { env, paths } = await served();
    for (const line of ['', 'stack ', 'stack env set --', '--output ', 'deployment list --fields '])
      await tab(line, { env });
    expect(paths()).toEqual([]);
  });
});
