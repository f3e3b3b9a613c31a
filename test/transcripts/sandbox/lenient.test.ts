import { expect, test } from 'vitest';
import { at, freshSandbox, refusal, response, rows, shop, stagingBlog, webServer } from './fresh-sandbox.ts';

const variables = `/stacks/${shop}/environments`;
const form = 'application/x-www-form-urlencoded';

/** Sends a body of another type than JSON. */
async function post(url: URL, token: string, [method, path]: readonly [string, string], body: string) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': form };
  const answer = await fetch(`${url.href}${path}`, { method, headers, body });
  const value: unknown = await answer.json();
  return { status: answer.status, headers: answer.headers, body: value };
}

test('a path may end in .json, also one that ends in a name', async () => {
  const { ask } = await freshSandbox({ strict: false });
  expect(rows(await ask('GET /stacks.json'))).toHaveLength(3);
  expect(response(await ask(`GET /stacks/${shop}.json?x=1`))).toMatchObject({ name: 'shop' });
  expect(response(await ask(`PUT ${variables}/CURRENCY.json`, { value: 'CHF' }))).toMatchObject({ value: 'CHF' });
  expect(refusal(await ask('GET /nothing.json'))).toEqual([404, 'GET /nothing not found']);
});

test('a name that itself ends in .json is found first', async () => {
  const { ask } = await freshSandbox({ strict: false });
  await ask(`POST ${variables}`, { key: 'a', value: '1' });
  await ask(`POST ${variables}`, { key: 'a.json', value: '2' });
  expect(response(await ask(`PUT ${variables}/a.json`, { value: '3' }))).toMatchObject({ key: 'a.json' });
});

test('also one that ends in an id, whatever its type, and one with two slashes', async () => {
  const { ask } = await freshSandbox({ strict: false });
  const paths = [
    `/stacks/${shop}/deployments/1041.json`,
    '/users/8.json',
    '/accounts/42.json',
    `/stacks/${shop}/backups/903.json`,
  ];
  for (const path of paths) expect([path, (await ask(`GET ${path}`)).status]).toEqual([path, 200]);
  expect((await ask('PUT /accounts/42/gateways/5.json', { name: 'b' })).status).toBe(200);
  expect(response(await ask(`GET /stacks/${shop}//backups/903/files//tar-ab.json`))).toMatchObject({ ok: true });
  expect(refusal(await ask('GET /users/x.json'))).toEqual([400, 'parameter "id" must be an integer']);
  expect(refusal(await ask('GET /accounts/otp.json'))).toEqual([404, 'GET /accounts/otp not found']);
});

test('an optional field that is empty counts as not sent', async () => {
  const { ask } = await freshSandbox({ strict: false });
  const empty = { git_ref: '', deploy_strategy: '', rollout_strategy: '', canary_percentage: 0, services: [] };
  expect((await ask(`POST /stacks/${shop}/deployments`, empty)).status).toBe(200);
  expect((await ask(`POST /stacks/${shop}/backups`, { frequency: '', keep_count: 0 })).status).toBe(200);
  expect(refusal(await ask(`POST ${variables}`, { key: 'A' }))).toEqual([400, 'parameter "value" is missing']);
  expect(response(await ask(`POST ${variables}`, { key: 'A', value: '' }))).toMatchObject({ value: '' });
});

test('a body may be a form, with lists and objects as Rails nests them', async () => {
  const { url, token, ask } = await freshSandbox({ strict: false });
  const created = await post(url, token, ['POST', variables], 'key=MOTTO&value=Read+more+%26+more');
  expect(response(created)).toMatchObject({ key: 'MOTTO', value: 'Read more & more' });
  const tags =
    'operations[][op]=delete&operations[][tags][]=eu&operations[][op]=add&operations[][tags][]=a&operations[][tags][]=b';
  const patched = await post(url, token, ['PATCH', `/tags/server/${webServer}`], tags);
  expect(at(response(patched), '0.tags')).toEqual([
    { value: 'role:web', reserved: true },
    { value: 'nightly', reserved: false },
    { value: 'a', reserved: false },
    { value: 'b', reserved: false },
  ]);
  const profile = 'access_profile[account_profile][can_payment]=true&access_profile[stack_profiles][][stack_uid]=';
  const updated = await post(
    url,
    token,
    ['PUT', '/users/9'],
    `${profile}${shop}&access_profile[stack_profiles][][role]=Viewer`,
  );
  expect(at(updated.body, 'access_profile.account_profile.can_payment')).toBe(true);
  expect(response(await ask('GET /users/9'))).toMatchObject({
    access_profile: { stack_profiles: expect.arrayContaining([{ stack_uid: shop, role: 'Viewer' }]) },
  });
});

test('whatever a form holds is an answer', async () => {
  const { url, token } = await freshSandbox({ strict: false });
  const deep = `value=1&key${'[a]'.repeat(100_000)}=1`;
  const odd = [
    '__proto__[a]=1&key=A&value=1',
    'key[]=1&key[a]=2&value=1',
    '[]=1&=2&key=&value',
    'a[[]]=1&a[]][=2',
    deep,
  ];
  for (const body of odd) {
    expect([body.slice(0, 40), (await post(url, token, ['POST', variables], body)).status]).not.toContain(500);
  }
  expect(at((await post(url, token, ['POST', variables], deep)).body, 'details')).toBe(
    'a parameter has more than 32 keys in brackets',
  );
});

test('JSON under the content type that curl gives it is read as JSON', async () => {
  const { url, token } = await freshSandbox({ strict: false });
  expect(response(await post(url, token, ['POST', variables], '{"key":"A","value":"1"}'))).toMatchObject({ key: 'A' });
});

test('parameters that nothing declares are ignored, at any depth; those of the path win', async () => {
  const { ask } = await freshSandbox({ strict: false });
  const variable = { key: 'A', value: '1', apply_strategy: 'immediately', stack_id: 'other' };
  expect(response(await ask(`POST ${variables}?page=3&x=1`, variable))).toMatchObject({ key: 'A' });
  expect((await ask(`GET /stacks/${shop}/application_variants?page=1`)).status).toBe(200);
  const operations = [{ op: 'add', tags: ['a'], why: 'because' }];
  expect((await ask(`PATCH /tags/server/${webServer}`, { operations })).status).toBe(200);
});

test('a whole user may be sent back; only the access profile counts', async () => {
  const { ask } = await freshSandbox({ strict: false });
  const user = response(await ask('GET /users/8')) as Readonly<Record<string, unknown>>;
  const profile = user['access_profile'] as Readonly<Record<string, object>>;
  const account_profile = { ...profile['account_profile'], can_payment: false };
  const sent = { ...user, email: 'other@example.com', access_profile: { ...profile, account_profile, note: 'new' } };
  const answer = await ask('PUT /users/8', sent);
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({
    email: user['email'],
    access_profile: { account_profile: { can_payment: false } },
  });
});

test.each([
  ['GET /stacks.json', undefined, 404, 'GET /stacks.json not found'],
  [`GET /stacks/${shop}.json`, undefined, 404, `stack "${shop}.json" not found`],
  [`POST ${variables}`, { key: 'A', value: '', x: 1 }, 400, 'unknown parameter "x"'],
  ['PUT /users/8', { id: 8, access_profile: {} }, 400, 'parameter "id" is allowed in the path only'],
  [`POST ${variables}`, 'key=A&value=1', 400, 'the body is not JSON'],
  [`POST /stacks/${shop}/deployments`, { services: [] }, 400, 'parameter "services" must be a string'],
  [
    `POST /stacks/${stagingBlog}/deployments`,
    { services: 'web' },
    400,
    'services: "web" is not a service:image_tag pair',
  ],
  ['GET /stacks?filter_name=shop', undefined, 400, 'unknown parameter "filter_name"'],
])('strict: refuses %s %j', async (line, body, status, details) => {
  const { ask } = await freshSandbox();
  expect(refusal(await ask(line, body))).toEqual([status, details]);
});
