import { expect, test } from 'vitest';
import { at, freshSandbox, refusal, response, rows, shop, webServer } from './fresh-sandbox.ts';

const processes = `/stacks/${shop}/processes`;
const workerServer = '16fc83e0a074d5b5f60718293a4b5c6d';

test('counts are shown by the names of the servers', async () => {
  const { ask } = await freshSandbox();
  expect(rows(await ask(`GET ${processes}`)).map(({ name, servers }) => [name, servers])).toEqual([
    ['web', { 'shop-web-1': 2, 'shop-web-2': 2 }],
    ['worker', { 'shop-web-1': 1, 'shop-worker-1': 3 }],
    ['scheduler', { 'shop-worker-1': 1 }],
  ]);
  expect(
    rows(await ask(`GET ${processes}?server_uid=${webServer}`)).map(({ name, servers }) => [name, servers]),
  ).toEqual([
    ['web', { 'shop-web-1': 2 }],
    ['worker', { 'shop-web-1': 1 }],
  ]);
});

test('one process is a list of one, with count and pages', async () => {
  const { ask } = await freshSandbox();
  const answer = await ask(`GET ${processes}/worker`);
  expect(rows(answer)).toMatchObject([{ name: 'worker', command: 'bundle exec sidekiq -c 10' }]);
  expect([at(answer.body, 'count'), at(answer.body, 'pagination.pages')]).toEqual([1, 1]);
});

test('the counts that are named change when the action has finished, the others stay', async () => {
  const { ask, pass } = await freshSandbox();
  const scale = await ask(`POST ${processes}/worker/scale`, {
    process_name: 'worker',
    server_count: { [webServer]: 0 },
  });
  expect(scale.body).toMatchObject({
    response: [{ id: 812, user: 'ada@harbour.example', action: 'Process_scale', finished_at: null }],
    count: 1,
    pagination: { current: 1, pages: 1 },
  });
  pass(2);
  const servers = async () => rows(await ask(`GET ${processes}/worker`))[0]?.['servers'];
  expect(await servers()).toEqual({ 'shop-web-1': 1, 'shop-worker-1': 3 });
  pass(1);
  expect(await servers()).toEqual({ 'shop-web-1': 0, 'shop-worker-1': 3 });
  expect(response(await ask(`GET /stacks/${shop}/actions/812`))).toMatchObject({ finished_success: true });
});

test.each<readonly [line: string, body: unknown, status: number, details: string]>([
  [`GET ${processes}/none`, undefined, 404, 'process "none" not found'],
  [`GET ${processes}?server_uid=none`, undefined, 404, 'server "none" not found'],
  [`POST ${processes}/none/scale`, { server_count: {} }, 404, 'process "none" not found'],
  [`POST ${processes}/web/scale`, { process_name: 'web' }, 400, 'parameter "server_count" is missing'],
  [`POST ${processes}/web/scale`, { server_count: {} }, 400, 'server_count must name a server'],
  [`POST ${processes}/web/scale`, { server_count: { none: 1 } }, 404, 'server "none" not found'],
  [
    `POST ${processes}/web/scale`,
    { server_count: { [workerServer]: -1 } },
    400,
    `server_count of "${workerServer}" must be at least 0; got -1`,
  ],
  [
    `POST ${processes}/web/scale`,
    { process_name: 'worker', server_count: { [workerServer]: 1 } },
    400,
    'process_name "worker" does not match the process in the path, "web"',
  ],
  [`POST ${processes}/web/scale`, { server_count: 3 }, 400, 'parameter "server_count" must be an object'],
])('refuses %s %j', async (line, body, status, details) => {
  const { ask } = await freshSandbox();
  expect(refusal(await ask(line, body))).toEqual([status, details]);
});
