import { expect, test } from 'vitest';
import { reply, startService } from '../support/service.ts';
import { run } from '../support/stackops.ts';
import { transcriptFile } from '../support/transcript.ts';

test('a canary is deployed beside the live version, gets more traffic, and is committed', transcriptFile);
test('a canary without traffic makes room for the next rollout', transcriptFile);
test('a blue-green deployment', transcriptFile);
test('a deploy strategy is a fact of the question, and a rollout strategy of none is sent too', transcriptFile);

test('a refusal of a service that may not know strategies says what to leave out', async () => {
  const refusals = [400, 404, 409].map(async (status) => {
    const { env } = await startService(({ method }, response) =>
      method === 'GET' ? reply(response, { response: [] }) : reply(response, { error: 'unknown' }, status),
    );
    const words = ['redeploy', '-y', '--rollout-strategy', 'canary', '--deploy-strategy', 'fast', '-s', '5'.repeat(32)];
    return (await run(words, { env })).stderr;
  });
  const hint =
    'hint: if this service does not support strategies, leave out --rollout-strategy and --deploy-strategy\n';
  expect(await Promise.all(refusals)).toEqual([
    `error: the service refused the request (400): unknown\n${hint}`,
    `error: deployments not found in stack ${'5'.repeat(32)}: unknown\n${hint}`,
    'error: the service refused the request (409): unknown\n',
  ]);
});

test('a share needs a canary', transcriptFile);

test('a failed canary makes no variant', transcriptFile);
