import { expect, test } from 'vitest';
import { at, type FreshSandbox, freshSandbox, justQueued, response, rows, shop, stagingBlog } from './fresh-sandbox.ts';

const group = `/stacks/${shop}/server_groups/21`;
const deployments = `/stacks/${shop}/deployments`;

async function actionOf({ ask }: FreshSandbox, id: unknown): Promise<unknown> {
  return response(await ask(`GET /stacks/${shop}/actions/${id}`));
}

test('a database is queued, started after one second and there after three', async () => {
  const sandbox = await freshSandbox();
  const { ask, pass } = sandbox;
  const databases = async () => rows(await ask(`GET ${group}/databases`)).map(({ name }) => name);
  const queued = response(
    await ask(`POST ${group}/databases`, { database_name: 'reports', database_user_ids: ['du7c3'] }),
  );
  const action = { action_type: 'database_create', resource_type: 'database', resource_id: null };
  expect(queued).toEqual({ ...justQueued, ...action });
  pass(1);
  expect(await actionOf(sandbox, 812)).toMatchObject({ status: 'started', started_at: '2026-04-16T08:00:01Z' });
  expect(await databases()).toEqual(['shop_prod', 'shop_events']);
  pass(60);
  expect(await databases()).toEqual(['shop_prod', 'shop_events', 'reports']);
  expect(await actionOf(sandbox, 812)).toMatchObject({
    status: 'finished',
    resource_id: expect.stringMatching(/^db[0-9a-f]{6}$/),
    started_at: '2026-04-16T08:00:01Z',
    finished_at: '2026-04-16T08:00:03Z',
    finished_success: true,
    finished_message: 'Database reports created.',
  });
  expect(rows(await ask(`GET ${group}/databases`))[2]).toMatchObject({ users: ['analytics'] });
});

test('a deleted database disappears, also from its users', async () => {
  const { ask, pass } = await freshSandbox();
  await ask(`DELETE ${group}/databases/db5a2`);
  expect(rows(await ask(`GET ${group}/databases`))).toHaveLength(2);
  pass(3);
  expect(rows(await ask(`GET ${group}/databases`))).toHaveLength(1);
  expect(rows(await ask(`GET ${group}/database_users`)).map(({ databases }) => databases)).toEqual([['shop_prod'], []]);
});

test('a database user appears with a password, gets another one and disappears', async () => {
  const { ask, pass } = await freshSandbox();
  const reporting = async () =>
    rows(await ask(`GET ${group}/database_users?show_password=true`)).find(({ username }) => username === 'reporting');
  await ask(`POST ${group}/database_users`, { username: 'reporting', user_type: 'readonly', database_ids: ['db5a1'] });
  expect(await reporting()).toBeUndefined();
  pass(3);
  const first = await reporting();
  expect(first).toMatchObject({ user_type: 'readonly', databases: ['shop_prod'], created_at: '2026-04-16T08:00:03Z' });
  await ask(`POST ${group}/database_users/${first?.['uid']}/regenerate_password`);
  expect(await reporting()).toEqual(first);
  pass(3);
  expect((await reporting())?.['password']).not.toBe(first?.['password']);
  await ask(`DELETE ${group}/database_users/${first?.['uid']}`);
  pass(3);
  expect(await reporting()).toBeUndefined();
});

test('the second of two contradicting actions fails', async () => {
  const sandbox = await freshSandbox();
  const { ask, pass } = sandbox;
  await ask(`POST ${group}/databases`, { database_name: 'twice' });
  await ask(`POST ${group}/databases`, { database_name: 'twice' });
  pass(3);
  expect(await actionOf(sandbox, 812)).toMatchObject({ finished_success: true });
  expect(await actionOf(sandbox, 813)).toMatchObject({
    finished_success: false,
    finished_message: 'invalid database name: "twice" already exists',
  });
});

test('a deployment waits, deploys and becomes live and head', async () => {
  const { ask, pass } = await freshSandbox();
  const latest = async () => rows(await ask(`GET ${deployments}`))[0];
  const stack = async () => response(await ask(`GET /stacks/${shop}`));
  expect(response(await ask(`POST ${deployments}`, { git_ref: 'main' }))).toEqual({
    id: 1042,
    message: 'Stack shop queued for redeployment',
    queued: true,
  });
  expect(await latest()).toMatchObject({
    id: 1042,
    outcome: { code: 0, meaning: 'pending' },
    is_deploying: false,
    is_live: false,
    finished_at: null,
    triggered_by: 'ada@harbour.example',
    triggered_via: { code: 1, meaning: 'api' },
  });
  expect(await stack()).toMatchObject({ status: 5, is_busy: true });
  pass(1);
  expect(await latest()).toMatchObject({ is_deploying: true, started_at: '2026-04-16T08:00:01Z', finished_at: null });
  expect(await stack()).toMatchObject({ status: 6, is_busy: true });
  pass(4);
  const done = await latest();
  expect(done).toMatchObject({
    outcome: { code: 1, meaning: 'success' },
    is_deploying: false,
    is_live: true,
    is_head: true,
    finished_at: '2026-04-16T08:00:05Z',
  });
  expect(await stack()).toMatchObject({ status: 1, is_busy: false, last_activity: '2026-04-16T08:00:05Z' });
  expect(rows(await ask(`GET ${deployments}`)).filter(({ is_live }) => is_live)).toHaveLength(1);
  expect(rows(await ask(`GET /stacks/${shop}/application_variants`))[0]?.['git_hash']).toBe(done?.['git_hash']);
});

test('the reference of a deployment finds its action', async () => {
  const { ask, pass } = await freshSandbox();
  await ask(`POST ${deployments}`, { user_reference: 'ci-4711' });
  pass(5);
  expect(rows(await ask(`GET /stacks/${shop}/actions?user_reference=ci-4711`))).toMatchObject([
    {
      id: 812,
      action: 'deploy',
      user: 'ada@harbour.example',
      started_at: '2026-04-16T08:00:01Z',
      finished_at: '2026-04-16T08:00:05Z',
      finished_success: true,
      metadata: { user_reference: 'ci-4711' },
    },
  ]);
});

test('deployments of one stack run one after the other', async () => {
  const { ask, pass } = await freshSandbox();
  await ask(`POST ${deployments}`);
  await ask(`POST ${deployments}`);
  pass(6);
  const [second, first] = rows(await ask(`GET ${deployments}`));
  expect(first).toMatchObject({ id: 1042, is_live: true });
  expect(second).toMatchObject({ id: 1043, is_deploying: true, started_at: '2026-04-16T08:00:05Z' });
});

test('a cancelled deployment ends at once and changes nothing', async () => {
  const { ask, pass } = await freshSandbox();
  await ask(`POST ${deployments}`);
  pass(2);
  expect(response(await ask(`DELETE ${deployments}/1042`))).toEqual({ ok: true, message: 'Deployment 1042 cancelled' });
  pass(60);
  const [cancelled, live] = rows(await ask(`GET ${deployments}`));
  expect(cancelled).toMatchObject({ outcome: { code: 3, meaning: 'cancelled' }, finished_at: '2026-04-16T08:00:02Z' });
  expect(live).toMatchObject({ id: 1041, is_live: true });
});

test('the branch broken fails to build', async () => {
  const { ask, pass } = await freshSandbox();
  await ask(`POST ${deployments}`, { git_ref: 'broken' });
  pass(5);
  expect(rows(await ask(`GET ${deployments}`))[0]).toMatchObject({
    outcome: { code: 2, meaning: 'failed' },
    is_live: false,
  });
  expect(response(await ask(`GET /stacks/${shop}`))).toMatchObject({ status: 2 });
});

test('container stacks deploy chosen services', async () => {
  const { ask } = await freshSandbox();
  const answer = await ask(`POST /stacks/${stagingBlog}/deployments`, { services: 'web:1.4.2,api:1.4.2' });
  expect(at(answer.body, 'response.queued')).toBe(true);
});

test('speed makes everything faster', async () => {
  const { ask, pass } = await freshSandbox({ speed: 10 });
  await ask(`POST ${deployments}`);
  pass(0.5);
  expect(rows(await ask(`GET ${deployments}`))[0]).toMatchObject({ id: 1042, is_live: true });
});

test('the branch slow builds for ten minutes, and can be cancelled before', async () => {
  const { ask, pass } = await freshSandbox();
  const newest = async () => rows(await ask(`GET /stacks/${shop}/deployments`))[0];
  await ask(`POST /stacks/${shop}/deployments`, { git_ref: 'slow' });
  pass(600);
  expect(await newest()).toMatchObject({ id: 1042, is_deploying: true });
  pass(1);
  expect(await newest()).toMatchObject({ is_deploying: false, outcome: { meaning: 'success' } });
  await ask(`POST /stacks/${shop}/deployments`, { git_ref: 'slow' });
  pass(300);
  expect((await ask(`DELETE /stacks/${shop}/deployments/1043`)).status).toBe(200);
  expect(await newest()).toMatchObject({ outcome: { meaning: 'cancelled' } });
});
