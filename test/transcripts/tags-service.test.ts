import { expect, test } from 'vitest';
import { startSandbox } from '../support/sandbox.ts';
import { reply, startService } from '../support/service.ts';
import { run } from '../support/stackops.ts';

async function served(...faults: readonly string[]) {
  const sandbox = await startSandbox({ faults });
  return { sandbox, env: sandbox.env };
}

const server = 'server/c1a7d3e95b2f4860a1b2c3d4e5f60718';
const both = `loadbalancer/3301,${server}`;
const refused = 'the service refused the request (400): simulated failure (400)';

test('of several entities, one that fails does not undo the other, and the run is 1', async () => {
  const { env } = await served('PATCH /tags/server/*=400');
  expect(await run(['tags', 'patch', both, '--add', 'blue'], { env })).toEqual({
    code: 1,
    stdout: `loadbalancer/3301 updated (edge -> edge, blue)\nupdating ${server} (failed)\n`,
    stderr:
      'undo: stackops tags patch loadbalancer/3301 --delete blue\n' +
      `error: ${server} failed: ${refused}. loadbalancer/3301 was updated.\n`,
  });
});

test('one that had the tags already is none that went through', async () => {
  const { env } = await served('PATCH /tags/server/*=400');
  expect(await run(['tags', 'patch', both, '--add', 'edge'], { env })).toEqual({
    code: 6,
    stdout: `loadbalancer/3301 unchanged (edge)\nupdating ${server} (failed)\n`,
    stderr: `error: ${server} failed: ${refused}\n`,
  });
});

test('in JSON each entity has its own state', async () => {
  const { env } = await served('PATCH /tags/server/*=400');
  const { code, stdout } = await run(['tags', 'patch', both, '--add', 'blue', '--json'], { env });
  expect([code, JSON.parse(stdout)]).toMatchObject([
    1,
    [
      { entity_id: '3301', change: 'updated', before: ['edge'], after: ['edge', 'blue'], error: null },
      {
        entity_type: 'server',
        change: 'failed',
        before: ['role:web', 'eu', 'nightly'],
        error: { code: 'rejected', message: refused },
      },
    ],
  ]);
});

test('all entities are read before the first is changed', async () => {
  const { env, sandbox } = await served('GET /tags/server/*=404');
  const { code } = await run(['tags', 'set', both, 'blue'], { env });
  expect([code, sandbox.requests.map(({ method }) => method)]).toEqual([3, ['GET', 'GET']]);
});

test('what is so already costs one read and no write', async () => {
  const { env, sandbox } = await served();
  const { stdout } = await run(['tags', 'set', 'loadbalancer/3301', 'edge'], { env });
  expect([stdout, sandbox.requests.length]).toEqual(['loadbalancer/3301 unchanged (edge)\n', 1]);
});

test.each([
  ['set', 'blue', '--include-reserved', '-y'],
  ['patch', '--delete', 'role:web', '--include-reserved', '-y'],
  ['clear', '--confirm', server],
])('%s: with consent given by a flag it reads once and writes once', async (verb, ...more) => {
  const { env, sandbox } = await served();
  const { code } = await run(['tags', verb, server, ...more], { env });
  expect([code, sandbox.requests.map(({ method }) => method === 'GET')]).toEqual([0, [true, false]]);
});

test('a change that was carried out and cut off is seen by looking', async () => {
  const { env } = await served('POST /tags/loadbalancer/3301=reset');
  const { code, stdout, stderr } = await run(['tags', 'set', 'loadbalancer/3301', 'blue'], { env });
  expect([code, stdout]).toEqual([0, 'loadbalancer/3301 updated (edge -> blue)\n']);
  expect(stderr).toMatch(/^warning: .*; checked afterwards: the change was applied\nundo: .*\n$/);
});

test('a change that was not carried out stays unknown', async () => {
  const { env } = await served('PATCH /tags/loadbalancer/3301=503');
  const { code, stdout, stderr } = await run(['tags', 'patch', 'loadbalancer/3301', '--add', 'blue'], { env });
  expect([code, stdout]).toEqual([11, '']);
  expect(stderr).toContain('\nhint: stackops tags list loadbalancer/3301\n');
});

const entry = (...tags: readonly unknown[]) => ({ entity_type: 'loadbalancer', entity_id: '7', tags });

/** A service with the tags of one load balancer, by the number of the read. */
async function tagging(look: (number: number) => unknown, answer: unknown) {
  let looks = 0;
  const service = await startService(({ method }, response) => {
    if (method !== 'GET') return reply(response, { response: [answer] });
    looks += 1;
    const found = look(looks);
    if (found === undefined) return reply(response, { error: 'broken' }, 503);
    reply(response, { response: [found], pagination: { next: null } });
  });
  return service.env;
}

const set = ['tags', 'set', 'loadbalancer/7', 'b'];

test('tags that come as plain strings are tags', async () => {
  const env = await tagging(() => entry('a'), entry('b'));
  expect((await run(set, { env })).stdout).toBe('loadbalancer/7 updated (a -> b)\n');
});

test('an answer without tags is followed by one read', async () => {
  const env = await tagging((number) => entry(number === 1 ? 'a' : 'B'), { entity_id: '7' });
  expect((await run(set, { env })).stdout).toBe('loadbalancer/7 updated (a -> B)\n');
});

test('a read that fails does not make the change fail', async () => {
  const env = await tagging((number) => (number === 1 ? entry('a') : undefined), { entity_id: '7' });
  const { code, stdout, stderr } = await run(set, { env });
  expect([code, stdout]).toEqual([0, 'loadbalancer/7 updated (a -> b)\n']);
  expect(stderr).toMatch(/^warning: the change was made, but the new state could not be read: .*\nundo: .*\n$/);
});

test('tags that look like flags are restored too', async () => {
  const env = await tagging(() => entry('-a'), entry('b'));
  expect(await run(set, { env })).toEqual({
    code: 0,
    stdout: 'loadbalancer/7 updated (-a -> b)\n',
    stderr: 'undo: stackops tags set -- loadbalancer/7 -a\n',
  });
});
