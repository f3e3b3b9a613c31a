import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { unchanged } from '../support/phrases.ts';
import { type Answer, reply, startService } from '../support/service.ts';
import { type RunOptions, run, temporaryFolder } from '../support/stackops.ts';

const stack = '5f3c0000000000000000000000000001';
const envelope = { response: { id: 7, size: 1 }, extra: true };

async function call(words: readonly string[], answer: Answer = answerWith(envelope), more: RunOptions = {}) {
  const service = await startService(answer);
  const env = { STACKOPS_BASE_URL: service.url, STACKOPS_TOKEN: 'secret-token', ...more.env };
  const ran = await run(['api', ...words], { ...more, env });
  return { ...ran, seen: service.seen, url: service.url };
}

function answerWith(body: unknown, status = 200): Answer {
  return (_, response) => reply(response, body, status);
}

const pages: Answer = ({ query }, response) => {
  const current = Number(new URLSearchParams(query).get('page') ?? 1);
  const pagination = { previous: null, next: current < 3 ? current + 1 : null, current, pages: 3 };
  reply(response, { response: [{ id: current }], count: 1, pagination });
};

describe('what is sent', () => {
  test.each<[words: readonly string[], method: string, path: string, query: string, body?: unknown]>([
    [['/accounts'], 'GET', '/accounts', ''],
    [['accounts'], 'GET', '/accounts', ''],
    [['delete', '/tags/server/a'], 'DELETE', '/tags/server/a', ''],
    [['POST', '/accounts/otp'], 'POST', '/accounts/otp', ''],
    [['/a?x=1&x=2', '-f', 'y=a b'], 'POST', '/a', 'x=1&x=2', { y: 'a b' }],
    [['GET', '/a?x=1', '-f', 'y=a,b', '-F', 'z=true', '-F', 'n=null'], 'GET', '/a', 'x=1&y=a%2Cb&z=true&n='],
    [['GET', '/a', '-f', 'ids[]=1', '-f', 'ids[]=2'], 'GET', '/a', 'ids%5B%5D=1&ids%5B%5D=2'],
    [['/a', '-f', 'value=A=B,C'], 'POST', '/a', '', { value: 'A=B,C' }],
    [
      ['/a', '-f', 'n=1', '-F', 'm=-1', '-F', 't=1.0', '-F', 'x=null'],
      'POST',
      '/a',
      '',
      { n: '1', m: -1, t: '1.0', x: null },
    ],
    [
      ['PUT', '/a', '-f', 'a[b][c]=1', '-f', 'a[b][d]=2', '-F', 'l[]=3', '-f', 'l[]=4'],
      'PUT',
      '/a',
      '',
      { a: { b: { c: '1', d: '2' } }, l: ['4', 3] },
    ],
    [
      ['PATCH', '/a', '-f', 'o[][op]=add', '-f', 'o[][tags][]=x', '-f', 'o[][tags][]=y', '-f', 'o[][op]=delete'],
      'PATCH',
      '/a',
      '',
      { o: [{ op: 'add', tags: ['x', 'y'] }, { op: 'delete' }] },
    ],
    [['DELETE', '/a', '-f', 'b=c'], 'DELETE', '/a', '', { b: 'c' }],
    [['/a b/c%20d/{e}'], 'GET', '/a%20b/c%20d/%7Be%7D', ''],
    [['/stacks/{stack}/x', '-s', stack], 'GET', `/stacks/${stack}/x`, ''],
    [['/accounts/{account}', '-a', '42'], 'GET', '/accounts/42', ''],
  ])('%j', async (words, method, path, query, body) => {
    const { code, stderr, seen } = await call(words);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(seen).toEqual([{ method, path, query, body, authorization: 'Bearer secret-token' }]);
  });

  test('digits of a long number, and what is read from files and stdin', async () => {
    const file = join(temporaryFolder(), 'value.txt');
    writeFileSync(file, 'from a file\n');
    const words = ['/a', '-F', 'n=12345678901234567890', '-F', `f=@${file}`, '-F', 's=@-', '--curl'];
    const { stdout, url } = await call(words, undefined, { stdin: 'typed' });
    // A backslash stands outside the quotes, where every shell reads it alike.
    const body = String.raw`{"n":12345678901234567890,"f":"from a file'\\'n","s":"typed"}`;
    expect(stdout).toBe(
      `curl --fail-with-body -X POST -H "Authorization: Bearer $STACKOPS_TOKEN" -H 'Accept: application/json' -H 'Content-Type: application/json' --data-binary '${body}' '${url}/a'\n`,
    );
  });

  test('a body from stdin, as it stands', async () => {
    const { seen } = await call(['PUT', '/a', '--input', '-'], undefined, { stdin: ' [1, {"b": null}]\n' });
    expect(seen[0]).toMatchObject({ method: 'PUT', body: [1, { b: null }] });
  });

  test('no token to an endpoint that needs none', async () => {
    const { seen } = await call(['/reference/clouds']);
    expect(seen[0]?.authorization).toBeUndefined();
  });

  test.each([
    [
      ['https://elsewhere.example/a'],
      'unusable path "https://elsewhere.example/a": it must be relative to the base address, such as /accounts',
    ],
    [
      ['//elsewhere.example/a'],
      'unusable path "//elsewhere.example/a": it must be relative to the base address, such as /accounts',
    ],
    [['/a/../b'], 'unusable path "/a/../b": it must not contain . or .. segments or encoded slashes'],
    [['/a/%2e%2E/b'], 'unusable path "/a/%2e%2E/b": it must not contain . or .. segments or encoded slashes'],
    [['/a%2fb'], 'unusable path "/a%2fb": it must not contain . or .. segments or encoded slashes'],
    [['/a%zz'], 'unusable path "/a%zz": each % must be followed by two hex digits'],
    [['/a#b'], 'unusable path "/a#b": it must not contain #, \\ or control characters'],
    [[], 'the path is missing'],
    [['GET'], 'the path is missing after GET'],
    [['FETCH', '/a'], 'unknown method "FETCH"; use one of GET, POST, PUT, PATCH, DELETE'],
    [['GET', '/a', 'b'], 'unexpected argument "b"'],
    [['/a', '-f', 'b'], '"b" has no "=": write b=VALUE'],
    [['/a', '-f', '[b]=1'], '"[b]" is not a field name: use a, a[b] or a[]'],
    [['/a', '-f', 'b=1', '-f', 'b[c]=1'], '"b[c]" conflicts with another field, or is given twice'],
    [['/a', '-f', 'b=1', '-f', 'b=2'], '"b" conflicts with another field, or is given twice'],
    [['/a', '--input', '-', '-f', 'b=1'], '--input cannot be combined with -f and -F: the file is the whole body'],
    [['/a', '--input', '-'], '--input: stdin is not valid JSON'],
    [['GET', '/a', '--input', '-'], '--input needs a method other than GET: a GET has no body'],
    [['POST', '/a', '--paginate'], '--paginate works with GET only, not with POST'],
    [['/a?page=2', '--paginate'], '--paginate reads all pages; remove the query parameter page'],
    [['/a', '--paginate', '--include'], '--paginate and --include cannot be combined: each page has its own headers'],
    [['--list', '/a'], 'unexpected argument "/a": --list takes none'],
  ])('%j is refused and sends nothing', async (words, message) => {
    const { code, stdout, stderr, seen } = await call(words);
    expect({ code, stdout, line: stderr.split('\n')[0] }).toEqual({ code: 2, stdout: '', line: `error: ${message}` });
    expect(seen).toEqual([]);
  });
});

describe('what is shown', () => {
  test('the reply with its wrapper, on a line in a pipe, indented on a terminal', async () => {
    expect(await call(['/a'])).toMatchObject({ code: 0, stdout: `${JSON.stringify(envelope)}\n`, stderr: '' });
    const { stdout } = await call(['/a'], undefined, { terminal: 80 });
    expect(stdout).toBe(`${JSON.stringify(envelope, undefined, 2)}\n`);
  });

  test('nothing where nothing came', async () => {
    const empty: Answer = (_, response) => void response.writeHead(204).end();
    expect(await call(['DELETE', '/a'], empty)).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  test('one array over all pages, and no more of them than asked for', async () => {
    const { stdout, seen } = await call(['/clusters', '--paginate'], pages);
    expect(stdout).toBe('[{"id":1},{"id":2},{"id":3}]\n');
    expect(seen.map(({ query }) => query)).toEqual(['', 'page=2', 'page=3']);
    const few = await call(['/clusters', '--paginate', '--limit', '2'], pages);
    expect([few.stdout, few.seen.length]).toEqual(['[{"id":1},{"id":2}]\n', 2]);
  });

  test('status and headers above the reply', async () => {
    const { stdout } = await call(['/a', '--include'], (_, response) => {
      response.sendDate = false;
      response.shouldKeepAlive = false;
      response
        .writeHead(201, { 'content-type': 'application/json', 'content-length': 2, 'x-made': 'by hand' })
        .end('{}');
    });
    expect(stdout).toBe(
      'HTTP 201\ncontent-type: application/json\ncontent-length: 2\nx-made: by hand\nconnection: close\n\n{}\n',
    );
  });

  test('all three as one object with --json', async () => {
    const { stdout } = await call(['/a', '--include', '--json'], answerWith({ a: 1 }));
    expect(JSON.parse(stdout)).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: { a: 1 },
    });
  });

  test('the endpoints of the catalogue', async () => {
    const { code, stdout, seen } = await call(['--list']);
    expect(code).toBe(0);
    expect(stdout).toContain('\nPOST\t/accounts/otp\tusers\tPrint a one-time password for client login.\n');
    expect(stdout.split('\n').length).toBeGreaterThan(60);
    expect(seen).toEqual([]);
    const { stdout: json } = await call(['--list', '--json', '--fields', 'method,path', '--limit', '1']);
    expect(json).toBe('[{"method":"GET","path":"/accounts"}]\n');
  });
});

describe('what goes wrong', () => {
  test('shows the reply on stdout and the reason on stderr', async () => {
    const said = { error: 'forbidden', message: 'not yours' };
    expect(await call(['/users'], answerWith(said, 403))).toMatchObject({
      code: 5,
      stdout: `${JSON.stringify(said)}\n`,
      stderr:
        'error: access denied (403): the command needs the admin scope: not yours\n' +
        'hint: STACKOPS_TOKEN overrides the saved token: set another token, or unset it\n',
    });
    expect(await call(['/elsewhere'], answerWith(said, 403))).toMatchObject({
      code: 5,
      stderr:
        'error: access denied (403): not yours\n' +
        'hint: STACKOPS_TOKEN overrides the saved token: set another token, or unset it\n',
    });
    const missing = await call(['/users/7', '--paginate'], answerWith('no such user', 404));
    expect(missing).toMatchObject({ code: 3, stdout: '"no such user"\n' });
  });

  test('an unknown outcome names the command that checks', async () => {
    const failed = answerWith({ message: 'broken' }, 500);
    const known = await call(['PUT', `/stacks/${stack}/application_variants/va-1`, '-f', 'operation=commit'], failed);
    expect(known).toMatchObject({ code: 11, stdout: '{"message":"broken"}\n' });
    expect(known.stderr).toContain(`hint: stackops variant list -s ${stack}\n`);
    expect(known.seen).toHaveLength(1);
    const other = await call(['/new/thing', '-f', 'a=b'], failed);
    expect(other.code).toBe(11);
    expect(other.stderr).toContain('hint: stackops api /new/thing\n');
  });

  test('a page for people is no reply', async () => {
    const portal: Answer = (_, response) => void response.end('<!doctype html><title>Sign in</title>');
    expect(await call(['/a'], portal)).toMatchObject({ code: 7, stdout: '' });
    expect(await call(['POST', '/a'], portal)).toMatchObject({ code: 11, stdout: '' });
  });

  test('a refusal in a good answer', async () => {
    const refused = { response: { ok: false, message: 'no' } };
    expect(await call(['POST', '/a'], answerWith(refused))).toMatchObject({
      code: 6,
      stdout: `${JSON.stringify(refused)}\n`,
      stderr: 'error: the service refused the request: no\n',
    });
  });
});

describe('before it is sent', () => {
  test('--dry-run shows the request of a read too', async () => {
    const { code, stdout, seen, url } = await call(['PUT', '/a?b=c', '-f', 'd=e', '--dry-run']);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `PUT ${url}/a?b=c\nContent-Type: application/json\n\n{"d":"e"}\n`,
    });
    expect(seen).toEqual([]);
    const read = await call(['/reference/clouds', '--curl']);
    expect(read.stdout).toBe(
      `curl --fail-with-body -X GET -H 'Accept: application/json' '${read.url}/reference/clouds'\n`,
    );
    expect(read.seen).toEqual([]);
  });

  test('a protected profile asks before a write, and not before a read', async () => {
    const env = { STACKOPS_CONFIG_DIR: temporaryFolder() };
    await run(['profile', 'set', 'protected=true', '-p', 'work'], { env });
    expect(await call(['/a', '-p', 'work'], undefined, { env })).toMatchObject({ code: 0 });
    const asked = await call(['/a', '-f', 'b=secret', '-p', 'work'], undefined, { env });
    expect(asked.code).toBe(2);
    // No hint: a value may be a secret, and a line without it would send something else.
    expect(asked.stderr).toBe(`error: "api" needs --confirm work (protected profile, no terminal)${unchanged}\n`);
    expect(asked.seen).toEqual([]);
    const confirmed = await call(['/a', '-f', 'b=c', '-p', 'work', '--confirm', 'work'], undefined, { env });
    expect(confirmed.seen).toHaveLength(1);
  });
});

test('what the service calls a secret is shown nowhere, whichever way it is typed', async () => {
  const env = { STACKOPS_SANDBOX: '1', XDG_STATE_HOME: temporaryFolder() };
  const path = '/users/7/devices/dev-0123456789';
  const dryRun = await run(['api', 'DELETE', path, '--dry-run'], { env });
  expect(dryRun.stdout).toBe('DELETE http://sandbox.localhost/api/3/users/7/devices/***\n');
  const body = ['-f', 'token=dev-0123456789', '-F', 'device_type=1', '-F', 'sub_type=1'];
  const register = await run(['api', 'POST', '/users/7/devices', ...body, '--curl'], { env });
  expect(register.stdout).toContain(`'{"token":"***","device_type":1,"sub_type":1}'`);
  const short = await run(['api', 'DELETE', '/users/7/devices/ret'], {
    env: { ...env, STACKOPS_RETRIES: '0' },
  });
  expect([short.code, short.stderr]).toEqual([3, expect.not.stringContaining('devices/ret')]);
  const missing = await run(['api', 'DELETE', '/users/7/devices/dev-0000000000', '-v'], { env });
  expect([missing.code, missing.stderr]).toEqual([3, expect.not.stringContaining('dev-0000000000')]);
  const { stdout } = await run(['history', '--json'], { env });
  expect(JSON.parse(stdout)).toMatchObject([
    { command: "api DELETE '/users/7/devices/***' -v" },
    { command: "api DELETE '/users/7/devices/***'" },
  ]);
});

test('nor is it in a body that is read from a file, in a query, or under a name that says so', async () => {
  const env = { STACKOPS_SANDBOX: '1', XDG_STATE_HOME: temporaryFolder() };
  const input = { env, stdin: '{"gateway":{"name":"a","api_key":"hunter22"},"id":9007199254740991}' };
  const read = await run(['api', 'POST', '/x', '--input', '-', '--curl'], input);
  expect(read.stdout).toContain(`'{"gateway":{"name":"a","api_key":"***"},"id":9007199254740991}'`);
  const asked = await run(['api', 'GET', '/x', '-f', 'access_token=hunter22', '--dry-run', '--json'], { env });
  expect(JSON.parse(asked.stdout)).toMatchObject({ url: 'http://sandbox.localhost/api/3/x?access_token=***' });
});

test('the journal keeps no part of a path that nobody knows, and no reference of the operator', async () => {
  const env = { STACKOPS_SANDBOX: '1', XDG_STATE_HOME: temporaryFolder() };
  await run(['api', 'POST', '/hooks/Hunter22/runs/7'], { env });
  await run(['redeploy', '-s', 'shop', '-y', '--user-reference', 'Hunter22'], { env });
  const { stdout } = await run(['history', '--json'], { env });
  expect(stdout).not.toContain('Hunter22');
  expect(JSON.parse(stdout)).toMatchObject([
    { command: "redeploy -s shop -y --user-reference '***'" },
    { command: "api POST '/hooks/***/***/7'" },
  ]);
});
