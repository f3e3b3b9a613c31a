import { afterEach, describe, expect, test } from 'vitest';
import { openTokenStore } from '../../src/auth/token-store.ts';
import { findFolders } from '../../src/files/folders.ts';
import { unsent } from '../support/phrases.ts';
import { reply, type Service, startService } from '../support/service.ts';
import { run, temporaryFolder } from '../support/stackops.ts';
import { transcriptFile } from '../support/transcript.ts';
import { closedPort } from './http/servers.ts';

const uid = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
const variantsPath = `/stacks/${uid}/application_variants`;
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

type Statuses = Readonly<Record<string, number>>;

/** A service that holds one stack; paths that are not named are answered well. */
async function serve(statuses: Statuses): Promise<Service> {
  const service = await startService(({ path }, response) => {
    const status = statuses[path] ?? statuses['*'] ?? 200;
    reply(response, status === 200 ? { response: [{ uid, name: 'shop' }] } : { error: 'no' }, status);
  });
  closing.push(service.close);
  return service;
}

async function check(service: { readonly url: string | URL }, words: readonly string[] = [], more = {}) {
  const env = {
    STACKOPS_BASE_URL: String(service.url),
    STACKOPS_TOKEN: 'token-of-the-test',
    STACKOPS_RETRIES: '0',
    ...more,
  };
  return run(['auth', 'check', ...words], { env });
}

test('each token of the sandbox holds what its name says', transcriptFile);

describe('against a service', () => {
  test('a mistyped stack leaves the other scopes told', async () => {
    const { code, stdout } = await check(await serve({}), ['-s', 'shpo', '--json', '--fields', 'state,note']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual([
      { state: 'held', note: null },
      { state: 'held', note: null },
      { state: 'held', note: null },
      { state: 'not tried', note: 'stack "shpo" not found; did you mean "shop"?' },
    ]);
  });

  test('what sign-in asked for is held against what was found', async () => {
    const service = await serve({ '/accounts': 403, '/users': 403 });
    const STACKOPS_CONFIG_DIR = temporaryFolder();
    await openTokenStore(
      () => findFolders({ STACKOPS_CONFIG_DIR }, 'linux'),
      () => undefined,
    ).write('default', {
      token: 'stored-token-of-work-0123456789',
      origin: new URL(service.url).origin,
      // The service granted less than was requested.
      scopes: ['public'],
      requested: ['public', 'users'],
      obtained_at: '',
    });
    const { code, stderr, stdout } = await check(service, ['--json'], { STACKOPS_CONFIG_DIR, STACKOPS_TOKEN: '' });
    expect(code).toBe(5);
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: 'forbidden', message: 'the service refuses users, which sign-in requested', exit_code: 5 },
    });
    expect(JSON.parse(stdout)).toEqual([
      { scope: 'public', state: 'held', read: 'GET /clusters', asked: true, note: null },
      {
        scope: 'users',
        state: 'refused',
        read: 'GET /accounts',
        asked: true,
        note: 'requested at sign-in; your user may lack a permission',
      },
      {
        scope: 'admin',
        state: 'refused',
        read: 'GET /users',
        asked: false,
        note: 'not requested at sign-in: stackops auth login --scope public,users,admin',
      },
      {
        scope: 'redeploy',
        state: 'held',
        read: `GET ${variantsPath}`,
        asked: false,
        note: 'not requested at sign-in',
      },
    ]);
  });

  test('reads, and nothing else, are sent', async () => {
    const service = await serve({});
    await check(service);
    expect(service.seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /clusters',
      'GET /accounts',
      'GET /users',
      'GET /stacks',
      `GET ${variantsPath}`,
    ]);
    expect(new Set(service.seen.map(({ authorization }) => authorization))).toEqual(
      new Set(['Bearer token-of-the-test']),
    );
  });

  test('an answer that says nothing about the scope is unclear, and no stacks means no try', async () => {
    const service = await serve({ '/clusters': 500, '/users': 404, '/stacks': 404 });
    const { code, stdout } = await check(service, ['--json', '--fields', 'scope,state,note']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual([
      { scope: 'public', state: 'unclear', note: 'the service failed (500): no' },
      { scope: 'users', state: 'held', note: null },
      { scope: 'admin', state: 'unclear', note: 'not found: /users (404): no' },
      { scope: 'redeploy', state: 'not tried', note: 'needs a stack: give one with -s' },
    ]);
  });

  test('a refused token is sent once', async () => {
    const service = await serve({ '*': 401 });
    expect(await check(service)).toMatchObject({ code: 4, stdout: '' });
    expect(service.seen).toHaveLength(1);
  });

  test('a service that fails everywhere, or is not there, is the usual problem', async () => {
    const broken = await check(await serve({ '*': 500 }));
    expect(broken).toEqual({ code: 7, stdout: '', stderr: 'error: the service failed (500): no\n' });
    const url = await closedPort();
    expect(await check({ url })).toEqual({
      code: 7,
      stdout: '',
      stderr: `error: cannot connect to ${url.host} (ECONNREFUSED)${unsent}\nhint: stackops doctor\n`,
    });
  });

  test('without a token nothing is sent', async () => {
    const service = await serve({});
    expect(await check(service, [], { STACKOPS_TOKEN: '' })).toMatchObject({
      code: 4,
      stderr:
        'error: not signed in: STACKOPS_TOKEN is not set and profile default has no token\nhint: stackops auth login\n',
    });
    expect(service.seen).toEqual([]);
  });
});

test('after --token-stdin --scope a scope that is refused is 5; one that nobody asked for is not', async () => {
  const service = await serve({ '/users': 403 });
  const env = { STACKOPS_BASE_URL: service.url, STACKOPS_CONFIG_DIR: temporaryFolder(), STACKOPS_STACK: uid };
  const codes: (readonly number[])[] = [];
  for (const scope of ['public,users', 'public,admin']) {
    const login = await run(['auth', 'login', '--token-stdin', '--scope', scope], { env, stdin: 'token-of-the-test' });
    codes.push([login.code, (await run(['auth', 'check'], { env })).code]);
  }
  expect(codes).toEqual([
    [0, 0],
    [0, 5],
  ]);
});
