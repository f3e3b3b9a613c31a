import { expect, test } from 'vitest';
import { freshSandbox, refusal, rows, shop, webServer } from './fresh-sandbox.ts';

test('asks for a token of a sandbox and for nothing else', async () => {
  const { ask } = await freshSandbox();
  expect(refusal(await ask('GET /stacks', undefined, null))).toEqual([401, 'the access token is missing']);
  expect(refusal(await ask('GET /stacks', undefined, 'sandbox_guess'))).toEqual([401, 'the access token is unknown']);
  expect(refusal(await ask('GET /stacks', undefined, 'a-real-token'))).toEqual([
    401,
    'this is a sandbox: it accepts only tokens that begin with sandbox_',
  ]);
});

test('answers reference data without a token', async () => {
  const { ask } = await freshSandbox();
  expect((await ask('GET /reference/clouds', undefined, null)).status).toBe(200);
});

test.each([
  ['public', `GET /stacks/${shop}/deployments`],
  ['public', `GET /stacks/${shop}/settings/git-branch`],
  ['public', `GET /stacks/${shop}/processes`],
  ['public', 'GET /accounts/42/gateways'],
  ['public', 'GET /clusters'],
  ['users', 'GET /users/7'],
  ['admin', 'GET /users'],
  ['admin', `GET /stacks/${shop}/settings`],
  ['admin', `POST /stacks/${shop}/servers/${webServer}/reboot`],
  ['users', 'GET /accounts'],
  ['admin', `GET /stacks/${shop}/environments`],
  ['redeploy', `GET /stacks/${shop}/application_variants`],
])('needs the scope %s for %s', async (scope, line) => {
  const { ask } = await freshSandbox();
  for (const held of ['public', 'users', 'admin', 'redeploy']) {
    const answer = await ask(line, undefined, `sandbox_${held}`);
    if (held === scope) expect(answer.status).toBe(200);
    else expect(refusal(answer)).toEqual([403, `the access token lacks the scope ${scope}`]);
  }
});

test('shows passwords only to those who may edit, and only when asked', async () => {
  const { ask } = await freshSandbox();
  const list = `GET /stacks/${shop}/server_groups/21/database_users`;
  expect(rows(await ask(list))[0]).not.toHaveProperty('password');
  expect(rows(await ask(`${list}?show_password=true`))[0]).toHaveProperty('password', 'sandbox-app-password');
  expect(refusal(await ask(`${list}?show_password=true`, undefined, 'sandbox_public'))).toEqual([
    403,
    'show_password needs edit permission',
  ]);
});

test('refuses accounts that are foreign, restricted or unknown, and lists only the two others', async () => {
  const { ask } = await freshSandbox();
  expect(rows(await ask('GET /accounts')).map(({ id }) => id)).toEqual([42, 57]);
  expect(refusal(await ask('GET /accounts/73'))).toEqual([403, 'you have no access to account 73']);
  expect(refusal(await ask('GET /accounts/61'))).toEqual([400, 'account 61 is restricted']);
  expect(refusal(await ask('GET /accounts/7'))).toEqual([404, 'account 7 not found']);
});

test('marks every answer, echoes the request id and tells errors in the form of the service', async () => {
  const { ask } = await freshSandbox();
  const answer = await ask('GET /nothing/here');
  expect(answer.headers.get('x-stackops-sandbox')).toBe('1');
  expect(answer.headers.get('request-id')).toBe('r-1');
  expect(answer).toMatchObject({
    status: 404,
    body: {
      error: 'not_found',
      error_description: 'The resource does not exist or is not accessible.',
      details: 'GET /nothing/here not found',
    },
  });
});

test('knows no HEAD and no path outside', async () => {
  const { url } = await freshSandbox();
  expect((await fetch(`${url.href}/stacks`, { method: 'HEAD' })).status).toBe(404);
  expect((await fetch(url.origin)).status).toBe(404);
});

test('remembers what was asked, without the token', async () => {
  const { ask, requests } = await freshSandbox();
  await ask(`POST /stacks/${shop}/environments?page=1`, { key: 'A', value: '1' });
  await ask('GET /reference/clouds', undefined, null);
  expect(requests).toEqual([
    {
      method: 'POST',
      path: `/stacks/${shop}/environments`,
      query: 'page=1',
      body: '{"key":"A","value":"1"}',
      bearer: true,
    },
    { method: 'GET', path: '/reference/clouds', query: '', body: '', bearer: false },
  ]);
});
