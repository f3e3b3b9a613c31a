import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { type FreshSandbox, freshSandbox } from './fresh-sandbox.ts';

const callback = 'http://127.0.0.1:34543/callback';
const verifier = 'v'.repeat(64);
const challenge = createHash('sha256').update(verifier).digest('base64url');
const usual = { client_id: 'sandbox-client', redirect_url: callback, scope: 'public,admin', state: 's&1' };

type Params = Readonly<Record<string, string>>;

function authorize({ url }: FreshSandbox, params: Params): Promise<Response> {
  return fetch(`${url.origin}/oauth/authorize?${new URLSearchParams(params)}`, { redirect: 'manual' });
}

function post({ url }: FreshSandbox, path: string, params: Params, headers: Params = {}): Promise<Response> {
  const body = new URLSearchParams(params);
  return fetch(`${url.origin}${path}`, { method: 'POST', body, headers, redirect: 'manual' });
}

/** Presses a button on the consent page and returns where the browser is sent. */
async function decide(sandbox: FreshSandbox, params: Params, decision: 'accept' | 'deny'): Promise<URL> {
  const page = await (await authorize(sandbox, params)).text();
  const request = /name="request" value="([^"]+)"/.exec(page)?.[1] ?? '';
  const answer = await post(sandbox, '/oauth/authorize', { request, decision });
  expect(answer.status).toBe(303);
  return new URL(answer.headers.get('location') ?? '');
}

async function codeFor(sandbox: FreshSandbox, more: Params = {}): Promise<string> {
  return (await decide(sandbox, { ...usual, ...more }, 'accept')).searchParams.get('code') ?? '';
}

function exchange(sandbox: FreshSandbox, code: string, more: Params = {}, headers: Params = {}): Promise<Response> {
  const client = { client_id: 'sandbox-client', client_secret: 'sandbox-secret' };
  return post(sandbox, '/oauth/token', { ...client, code, ...more }, headers);
}

test('shows a page with two buttons, who asks and for what, under a strict policy', async () => {
  const answer = await authorize(await freshSandbox(), usual);
  const page = await answer.text();
  expect(answer.status).toBe(200);
  expect(page).toContain('<strong>sandbox-client</strong>');
  expect(page).toContain(
    [
      '<dt>public</dt><dd>Read stacks, servers, deployments and backups; scale processes and change tags.</dd>',
      '<dt>admin</dt><dd>Change environment variables, settings, databases, gateways and users; reboot servers.</dd>',
    ].join('\n'),
  );
  expect(page).toContain('<button id="accept" name="decision" value="accept">Accept</button>');
  expect(page).toContain('<button id="deny" name="decision" value="deny">Deny</button>');
  expect(answer.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self' http:\/\/127\.0\.0\.1:34543; base-uri 'none'; frame-ancestors 'none'$/,
  );
  expect(answer.headers.get('x-stackops-sandbox')).toBe('1');
});

test('accepting leads to a token that holds exactly the scopes asked for', async () => {
  const sandbox = await freshSandbox();
  const target = await decide(sandbox, usual, 'accept');
  expect(`${target.origin}${target.pathname}`).toBe(callback);
  expect(target.searchParams.get('state')).toBe('s&1');
  const answer = await exchange(sandbox, target.searchParams.get('code') ?? '', { redirect_url: callback });
  expect(answer.headers.get('content-type')).toBe('application/x-www-form-urlencoded');
  const text = await answer.text();
  expect(text).toMatch(/^access_token=sandbox_[\w-]{32}&token_type=bearer$/);
  const token = new URLSearchParams(text).get('access_token');
  expect((await sandbox.ask('GET /stacks', undefined, token)).status).toBe(200);
  expect((await sandbox.ask('GET /accounts', undefined, token)).status).toBe(403);
});

test('answers in JSON when asked to', async () => {
  const sandbox = await freshSandbox();
  const answer = await exchange(sandbox, await codeFor(sandbox), {}, { accept: 'application/json' });
  expect(await answer.json()).toEqual({ access_token: expect.stringMatching(/^sandbox_/), token_type: 'bearer' });
});

test('denying leads to access_denied', async () => {
  const target = await decide(await freshSandbox(), usual, 'deny');
  expect(target.search).toBe('?error=access_denied&state=s%261');
});

test('takes scopes with blanks, and public for none', async () => {
  const sandbox = await freshSandbox();
  expect(await (await authorize(sandbox, { ...usual, scope: 'users redeploy' })).text()).toContain('<dt>redeploy</dt>');
  const { scope: _, ...without } = usual;
  expect(await (await authorize(sandbox, without)).text()).toMatch(/<dl>\n<dt>public<\/dt><dd>[^<]+<\/dd>\n<\/dl>/);
});

test('takes redirect_uri alone, or both spellings when they agree', async () => {
  const sandbox = await freshSandbox();
  const { redirect_url, ...rest } = usual;
  expect((await authorize(sandbox, { ...rest, redirect_uri: redirect_url })).status).toBe(200);
  expect((await authorize(sandbox, { ...usual, redirect_uri: redirect_url })).status).toBe(200);
  expect((await authorize(sandbox, { ...usual, redirect_uri: 'http://127.0.0.1:1/' })).status).toBe(400);
});

test.each<readonly [what: string, params: Params, text: string]>([
  ['an unknown client', { ...usual, client_id: '<b>' }, 'Unknown client_id: the sandbox knows only sandbox-client.'],
  ['no redirect', { client_id: 'sandbox-client' }, 'redirect_url is missing'],
  [
    'a redirect to elsewhere',
    { ...usual, redirect_url: 'https://evil.example/' },
    'must be an http address of this machine',
  ],
  [
    'a redirect that only looks local',
    { ...usual, redirect_url: 'http://127.0.0.1@evil.example/' },
    'must be an http address',
  ],
])('shows %s on a page and redirects nowhere', async (_, params, text) => {
  const answer = await authorize(await freshSandbox(), params);
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain(text);
});

test.each<readonly [error: string, params: Params]>([
  ['invalid_scope', { ...usual, scope: 'public,everything' }],
  ['unsupported_response_type', { ...usual, response_type: 'token' }],
  ['invalid_request', { ...usual, code_challenge: challenge, code_challenge_method: 'plain' }],
])('tells the client %s through the redirect', async (error, params) => {
  const answer = await authorize(await freshSandbox(), params);
  expect([answer.status, answer.headers.get('location')]).toEqual([303, `${callback}?error=${error}&state=s%261`]);
});

test('a consent page works once', async () => {
  const sandbox = await freshSandbox();
  const page = await (await authorize(sandbox, usual)).text();
  const request = /name="request" value="([^"]+)"/.exec(page)?.[1] ?? '';
  expect((await post(sandbox, '/oauth/authorize', { request, decision: 'accept' })).status).toBe(303);
  expect((await post(sandbox, '/oauth/authorize', { request, decision: 'accept' })).status).toBe(400);
});

test('a code works once and for a minute', async () => {
  const sandbox = await freshSandbox();
  const code = await codeFor(sandbox);
  expect((await exchange(sandbox, code)).status).toBe(200);
  expect(await (await exchange(sandbox, code)).json()).toMatchObject({ error: 'invalid_grant' });
  const late = await codeFor(sandbox);
  sandbox.pass(60);
  expect((await exchange(sandbox, late)).status).toBe(400);
});

test('proves the challenge that was sent', async () => {
  const sandbox = await freshSandbox();
  const pkce = { code_challenge: challenge, code_challenge_method: 'S256' };
  expect((await exchange(sandbox, await codeFor(sandbox, pkce), { code_verifier: verifier })).status).toBe(200);
  expect((await exchange(sandbox, await codeFor(sandbox, pkce), { code_verifier: 'wrong' })).status).toBe(400);
  expect((await exchange(sandbox, await codeFor(sandbox, pkce))).status).toBe(400);
});

test.each<readonly [status: number, error: string, form: Params]>([
  [401, 'invalid_client', { client_secret: 'wrong' }],
  [401, 'invalid_client', { client_id: 'other' }],
  [400, 'unsupported_grant_type', { grant_type: 'password' }],
  [400, 'invalid_grant', { redirect_uri: 'http://127.0.0.1:1/' }],
  [400, 'invalid_grant', { code: 'guess' }],
])('refuses a token with %i %s for %j', async (status, error, form) => {
  const sandbox = await freshSandbox();
  const answer = await exchange(sandbox, await codeFor(sandbox), form);
  expect(answer.status).toBe(status);
  expect(await answer.json()).toEqual({ error, error_description: expect.any(String) });
});

test('wants the token request form-encoded', async () => {
  const answer = await post(await freshSandbox(), '/oauth/token', {}, { 'content-type': 'application/json' });
  expect([answer.status, await answer.json()]).toEqual([
    400,
    { error: 'invalid_request', error_description: 'the body must be form-encoded' },
  ]);
});

const basic = `Basic ${Buffer.from('sandbox-client:sandbox-secret').toString('base64')}`;

async function exchangeBasic(sandbox: FreshSandbox, authorization: string, more: Params = {}): Promise<number> {
  const params = { code: await codeFor(sandbox), ...more };
  return (await post(sandbox, '/oauth/token', params, { authorization })).status;
}

test('takes the credentials of the client as Basic ones too, alone or beside its id', async () => {
  const sandbox = await freshSandbox({ strict: false });
  const wrong = `Basic ${Buffer.from('sandbox-client:guess').toString('base64')}`;
  expect(await exchangeBasic(sandbox, basic)).toBe(200);
  expect(await exchangeBasic(sandbox, basic, { client_id: 'sandbox-client' })).toBe(200);
  expect(await exchangeBasic(sandbox, basic, { client_id: 'other' })).toBe(401);
  expect(await exchangeBasic(sandbox, wrong)).toBe(401);
  expect(await exchangeBasic(sandbox, 'Basic')).toBe(401);
  expect(await exchangeBasic(await freshSandbox(), basic)).toBe(401);
});

test('a client secret is good only where it was made', async () => {
  const sandbox = await freshSandbox({ clientSecret: 'another' });
  expect((await exchange(sandbox, await codeFor(sandbox))).status).toBe(401);
});

test('legacy: the token comes form-encoded, whatever was asked for', async () => {
  const sandbox = await freshSandbox({ replies: 'legacy' });
  const answer = await exchange(sandbox, await codeFor(sandbox), {}, { accept: 'application/json' });
  expect(answer.headers.get('content-type')).toBe('application/x-www-form-urlencoded');
});
