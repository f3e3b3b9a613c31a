import { expect, test } from 'vitest';
import { reply, startService } from '../support/service.ts';
import { run } from '../support/stackops.ts';
import { transcriptFile } from '../support/transcript.ts';

test('--pending lists what was changed since the live deployment began', transcriptFile);
test('--since-deployment compares the values of then and now', transcriptFile);

const uid = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';

test.each([
  ['none of the newest 1 deployments is live', [{ id: 7, is_live: false }]],
  ['no deployment', []],
])('no deployment is live: %s', async (said, deployments) => {
  const { env } = await startService(({ path }, response) =>
    reply(response, {
      response: path.includes('deployments') ? deployments : [],
      pagination: { next: null },
    }),
  );
  expect(await run(['stack', 'env', 'list', '--pending', '-s', uid], { env })).toEqual({
    code: 3,
    stdout: '',
    stderr: `error: ${said}\nhint: stackops deployment list -s ${uid}\n`,
  });
});

test('the live deployment does not say when it began', async () => {
  const { env } = await startService(({ path }, response) =>
    reply(response, {
      response: path.includes('deployments') ? [{ id: 7, is_live: true, started_at: null }] : [],
      pagination: { next: null },
    }),
  );
  const { code, stderr } = await run(['stack', 'env', 'list', '--pending', '-s', uid], { env });
  expect([code, stderr]).toEqual([7, 'error: the service does not say when deployment 7 began\n']);
});
