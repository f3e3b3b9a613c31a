import { expect, test } from 'vitest';
import { at, cluster, freshSandbox, justQueued, refusal, response, rows } from './fresh-sandbox.ts';

test('the list is short and comes in hundreds, one cluster shows its nodes', async () => {
  const { ask } = await freshSandbox();
  const list = await ask('GET /clusters');
  expect(at(list.body, 'pagination.per_page')).toBe(100);
  expect(rows(list).map(({ name }) => name)).toEqual(['prod-eu', 'staging-eu']);
  expect(rows(list)[0]).not.toHaveProperty('nodes');
  expect(rows(list)[0]).not.toHaveProperty('region');
  const one = response(await ask(`GET /clusters/${cluster}`));
  expect(one).toMatchObject({ region: 'fsn1', node_count: 3, nodes: [{ name: 'prod-eu-1', status: 'Ready' }, {}, {}] });
  expect(one).not.toHaveProperty('log');
});

test('the log is shown on request', async () => {
  const { ask } = await freshSandbox();
  const one = response(await ask(`GET /clusters/${cluster}?show_log=true`));
  expect(one).toMatchObject({ log: '2026-04-09T18:20:00Z Kubernetes 1.31.4 is running on 3 nodes.\n' });
});

test('a reboot is an action under the UID of the cluster', async () => {
  const { ask, pass } = await freshSandbox();
  const action = `GET /stacks/${cluster}/actions/812`;
  const status = async () => at(await ask(`GET /clusters/${cluster}`), 'body.response.nodes.0.status');
  const queued = { ...justQueued, action_type: 'stack_reboot', resource_type: 'stack', resource_id: cluster };
  const reboot = await ask(`POST /clusters/${cluster}/reboot_servers`, { strategy: 'serial', group: 'web' });
  expect(response(reboot)).toEqual(queued);
  expect(await status()).toBe('Ready');
  pass(1);
  expect(await status()).toBe('NotReady');
  expect(response(await ask(action))).toMatchObject({ status: 'started', started_at: '2026-04-16T08:00:01Z' });
  pass(2);
  expect(await status()).toBe('Ready');
  expect(response(await ask(action))).toMatchObject({
    finished_success: true,
    finished_message: 'Servers of prod-eu rebooted.',
  });
});

test('clusters cannot be created yet, whatever the body', async () => {
  const { ask } = await freshSandbox();
  expect(await ask('POST /clusters', { name: 'x', nodes: [1] })).toMatchObject({
    status: 501,
    body: {
      response: {
        message: 'Creating clusters is not available yet; it is announced for a later release.',
        status: 'not_implemented',
      },
    },
  });
  expect(refusal(await ask('POST /clusters', {}, 'sandbox_admin'))).toEqual([
    403,
    'the access token lacks the scope redeploy',
  ]);
});

test.each([
  ['GET /clusters/9c1e', 404, 'cluster "9c1e" not found'],
  ['POST /clusters/9c1e/reboot_servers', 404, 'cluster "9c1e" not found'],
  ['GET /clusters?page=0', 400, 'parameter "page" must be an integer, at least 1'],
  [`GET /stacks/${cluster}`, 404, `stack "${cluster}" not found`],
])('refuses %s', async (line, status, details) => {
  const { ask } = await freshSandbox();
  expect(refusal(await ask(line))).toEqual([status, details]);
});
