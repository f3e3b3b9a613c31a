import { expect, type TestContext, test } from 'vitest';
import { startSandbox } from '../support/sandbox.ts';
import { reply, startService } from '../support/service.ts';
import { run } from '../support/stackops.ts';
import { transcriptFile } from '../support/transcript.ts';

const server = 'server/c1a7d3e95b2f4860a1b2c3d4e5f60718';

test('of several entities, one that fails does not undo the other, and the run is 1', transcriptFile);
test('one that had the tags already is none that went through', transcriptFile);
test('in JSON each entity has its own state', transcriptFile);
test('all entities are read before the first is changed', transcriptFile);
test('what is so already costs one read and no write', transcriptFile);

test.each([
  ['set', 'blue', '--include-reserved', '-y'],
  ['patch', '--delete', 'role:web', '--include-reserved', '-y'],
  ['clear', '--confirm', server],
])('%s: with consent given by a flag it reads once and writes once', async (verb, ...more) => {
  const { env, requests } = await startSandbox();
  const { code } = await run(['tags', verb, server, ...more], { env });
  expect([code, requests.map(({ method }) => method === 'GET')]).toEqual([0, [true, false]]);
});

test('a change that was carried out and cut off is seen by looking', transcriptFile);
test('a change that was not carried out stays unknown', transcriptFile);

const entry = (...tags: readonly unknown[]) => ({ entity_type: 'loadbalancer', entity_id: '7', tags });

/** Plays the session against a service with the tags of one load balancer, by the number of the read. */
function tagging(list: (number: number) => unknown, answer: unknown) {
  let reads = 0;
  const service = () =>
    startService(({ method }, response) => {
      if (method !== 'GET') return reply(response, { response: [answer] });
      reads += 1;
      const found = list(reads);
      if (found === undefined) return reply(response, { error: 'broken' }, 503);
      reply(response, { response: [found], pagination: { next: null } });
    });
  return (context: TestContext) => transcriptFile(context, { service: service() });
}

test(
  'tags that come as plain strings are tags',
  tagging(() => entry('a'), entry('b')),
);
test(
  'an answer without tags is followed by one read',
  tagging((number) => entry(number === 1 ? 'a' : 'B'), { entity_id: '7' }),
);
test(
  'a read that fails does not make the change fail',
  tagging((number) => (number === 1 ? entry('a') : undefined), { entity_id: '7' }),
);
test(
  'tags that look like flags are restored too',
  tagging(() => entry('-a'), entry('b')),
);
