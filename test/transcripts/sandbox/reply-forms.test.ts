import { expect, test } from 'vitest';
import { isWriteOperation as isWrite } from '../../../src/contract/operation.ts';
import { everyOperation } from '../../../src/resources/index.ts';
import { at, freshSandbox, justStarted, refusal, response, rows, shop, webServer } from './fresh-sandbox.ts';
import { requests } from './requests.ts';

const variables = `/stacks/${shop}/environments`;
const variants = `/stacks/${shop}/application_variants`;
const actionOf = (id: number) => `GET /stacks/${shop}/actions/${id}`;

/** Writes in a stack whose documented reply is no action record, and the name of the action each of them gets. */
const writes: readonly (readonly [line: string, body: unknown, action: string])[] = [
  [`POST ${variables}`, { key: 'A', value: '1' }, 'env-var-new'],
  [`PUT ${variables}/CURRENCY`, { value: 'CHF' }, 'env-var-update'],
  [`DELETE ${variables}/CURRENCY`, undefined, 'environments_delete'],
  [`POST /stacks/${shop}/servers/${webServer}/reboot`, undefined, 'server_reboot'],
  [`PUT ${variants}/va-canary`, { operation: 'percentage', canary_percentage: 40 }, 'variants_update'],
  [`PUT ${variants}/va-canary`, { operation: 'commit' }, 'variants_update'],
  [`DELETE ${variants}/va-preview`, undefined, 'variants_delete'],
  [`POST /stacks/${shop}/backups`, {}, 'backup_create'],
];

test.each(writes)('actions: %s %j answers with an action of its stack', async (line, body, action) => {
  const { ask, pass } = await freshSandbox({ replies: 'actions' });
  expect(response(await ask(line, body))).toEqual({
    ...justStarted,
    resource_type: action === 'server_reboot' ? 'server' : 'stack',
    action,
    resource_id: action === 'server_reboot' ? webServer : shop,
  });
  pass(3);
  expect(response(await ask(actionOf(812)))).toMatchObject({
    finished_at: '2026-04-16T08:00:03Z',
    finished_success: true,
  });
});

test.each(writes)('actions: %s %j has no effect when its action fails', async (line, body) => {
  const { ask, pass } = await freshSandbox({ replies: 'actions', failActions: true });
  const seen = async () => [
    rows(await ask(`GET ${variables}`)),
    rows(await ask(`GET ${variants}`)),
    rows(await ask(`GET /stacks/${shop}/backups`)),
  ];
  const before = await seen();
  await ask(line, body);
  pass(3);
  expect(await seen()).toEqual(before);
  expect(response(await ask(actionOf(812)))).toMatchObject({
    finished_at: '2026-04-16T08:00:03Z',
    finished_success: false,
    finished_message: 'Simulated failure.',
  });
});

test('actions: a change shows when its action ends, and not before', async () => {
  const { ask, pass } = await freshSandbox({ replies: 'actions' });
  await ask(`PUT ${variants}/va-canary`, { operation: 'percentage', canary_percentage: 40 });
  await ask(`PUT ${variables}/CURRENCY`, { value: 'CHF' });
  const share = async () => at(rows(await ask(`GET ${variants}`))[1], 'percentage');
  const currency = async () => rows(await ask(`GET ${variables}`)).find(({ key }) => key === 'CURRENCY')?.['value'];
  pass(2);
  expect([await share(), await currency()]).toEqual([10, 'EUR']);
  pass(1);
  expect([await share(), await currency()]).toEqual([40, 'CHF']);
  expect(at(await ask(actionOf(812)), 'body.response.finished_message')).toBe(
    'Variant va-canary receives 40% of the traffic',
  );
});

test('actions: what is wrong is refused at once, and what became wrong in the meantime fails', async () => {
  const { ask, pass } = await freshSandbox({ replies: 'actions' });
  expect(refusal(await ask(`POST ${variables}`, { key: 'CURRENCY', value: '' }))).toEqual([
    400,
    'environment variable "CURRENCY" already exists',
  ]);
  await ask(`POST ${variables}`, { key: 'A', value: '1' });
  await ask(`POST ${variables}`, { key: 'A', value: '2' });
  pass(3);
  expect(response(await ask(actionOf(812)))).toMatchObject({ finished_success: true });
  expect(response(await ask(actionOf(813)))).toMatchObject({
    finished_success: false,
    finished_message: 'environment variable "A" already exists',
  });
});

test('actions: variants carry type and sub_type, and a redeploy the id of its action', async () => {
  const { ask, pass } = await freshSandbox({ replies: 'actions' });
  expect(rows(await ask(`GET ${variants}`)).map(({ type, sub_type }) => [type, sub_type])).toEqual([
    ['active', null],
    ['rollout', 'canary'],
    ['preview', null],
  ]);
  expect(rows(await ask(`GET ${variants}`))[0]).not.toHaveProperty('variant_type');
  expect(response(await ask(`POST /stacks/${shop}/deployments`, {}))).toEqual({
    ok: true,
    message: 'Stack shop queued for redeployment',
    queued: true,
    async_action_id: 812,
  });
  pass(5);
  expect(response(await ask(actionOf(812)))).toMatchObject({ action: 'deploy', finished_success: true });
});

test('a deployment and a reboot can be made to fail with documented replies too', async () => {
  const { ask, pass } = await freshSandbox({ failActions: true });
  await ask(`POST /stacks/${shop}/deployments`, {});
  await ask(`POST /stacks/${shop}/servers/${webServer}/reboot`);
  pass(5);
  expect(rows(await ask(`GET /stacks/${shop}/deployments`))[0]).toMatchObject({ outcome: { meaning: 'failed' } });
  expect(response(await ask(`GET /stacks/${shop}/servers/${webServer}`))).toMatchObject({ health_state: 4 });
});

test('legacy: writes only say ok and a message, and take effect at once where the document has it so', async () => {
  const { ask } = await freshSandbox({ replies: 'legacy' });
  expect((await ask(`POST ${variables}`, { key: 'A', value: '1' })).body).toEqual({
    response: { ok: true, message: 'The request was accepted.' },
  });
  expect((await ask(`POST /stacks/${shop}/deployments`, {})).body).toEqual({
    response: { ok: true, message: 'Stack shop queued for redeployment' },
  });
  expect((await ask('DELETE /accounts/42/gateways/5')).body).toBeUndefined();
  expect(at((await ask('POST /accounts/otp')).body, 'response.otp')).toBeTypeOf('string');
});

test('legacy: a list keeps its wrapper, count and pages', async () => {
  const { ask } = await freshSandbox({ replies: 'legacy' });
  const { body } = await ask(`GET ${variables}`);
  expect(body).toMatchObject({ count: 38, pagination: { current: 1, next: 2, pages: 2 } });
  expect(at(body, 'response')).toHaveLength(30);
  expect(rows(await ask(`GET /tags/server/${webServer}`))).toMatchObject([{ entity_id: webServer }]);
  expect(rows(await ask(`GET ${variants}`))).toHaveLength(3);
});

test('actions: one thing is one object in its wrapper, and no reply is empty', async () => {
  const { ask } = await freshSandbox({ replies: 'actions' });
  expect(response(await ask(`GET /tags/server/${webServer}`))).toMatchObject({ entity_id: webServer });
  expect(response(await ask(`GET /stacks/${shop}/processes/worker`))).toMatchObject({ name: 'worker' });
  const scaled = await ask(`POST /stacks/${shop}/processes/worker/scale`, { server_count: { [webServer]: 1 } });
  expect(response(scaled)).toMatchObject({ id: 812, action: 'Process_scale' });
  expect(response(await ask('PUT /users/8', { access_profile: {} }))).toMatchObject({ id: 8 });
  expect(response(await ask('DELETE /accounts/42/gateways/5'))).toEqual({ ok: true });
});

test('actions: servers say which gateway they are behind, while one is open', async () => {
  const { ask } = await freshSandbox({ replies: 'actions' });
  const gatewayOf = async () => {
    const row = response(await ask(`GET /stacks/${shop}/servers/${webServer}`));
    return ['has_deploy_gateway', 'deploy_gateway_address', 'deploy_gateway_user_name'].map((name) => at(row, name));
  };
  expect(await gatewayOf()).toEqual([true, '203.0.113.7', 'ops']);
  await ask('PUT /accounts/42/gateways/5', { ttl: 0 });
  expect(await gatewayOf()).toEqual([false, undefined, undefined]);
});

const operations = new Map(everyOperation());
const stackWrites = Object.keys(requests).filter((id) => {
  const operation = operations.get(id);
  return operation && isWrite(operation) && operation.path.startsWith('/stacks/');
});

/** Bodies of all operations, by id; the variable that one of them creates is there for the next ones. */
async function bodies(replies: 'actions' | 'legacy'): Promise<ReadonlyMap<string, unknown>> {
  const { ask, pass } = await freshSandbox({ replies });
  const seen = new Map<string, unknown>();
  for (const [id, [line, body]] of Object.entries(requests)) {
    const answer = await ask(line, body);
    expect([id, answer.status]).toEqual([id, id === 'clusters.create' ? 501 : 200]);
    seen.set(id, answer.body);
    if (id.startsWith('environments.')) pass(3);
  }
  return seen;
}

test('actions: every write in a stack names its action', async () => {
  const seen = await bodies('actions');
  for (const id of stackWrites) {
    const reply = at(seen.get(id), 'response') as object;
    expect([id, 'started_via' in reply || 'async_action_id' in reply]).toEqual([id, true]);
  }
});

test('legacy: every write is an acknowledgement or nothing, every list has its wrapper', async () => {
  const seen = await bodies('legacy');
  for (const [id, operation] of operations) {
    const body = seen.get(id);
    if (isWrite(operation) && id !== 'clusters.create' && body !== undefined) {
      expect([id, at(body, 'response.ok')]).toEqual([id, true]);
    }
    if (['page', 'rows', 'sole'].includes(operation.reply.envelope) && !isWrite(operation)) {
      expect([id, Array.isArray(at(body, 'response'))]).toEqual([id, true]);
    }
  }
});
