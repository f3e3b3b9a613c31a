import { expect, test } from 'vitest';
import { reply, startService } from '../support/service.ts';
import { run } from '../support/stackops.ts';
import { transcript, transcriptFile } from '../support/transcript.ts';

test('with --wait a deployment is watched to its end, and the one live before is shown', transcriptFile);

test('what went live meanwhile was live before', () =>
  transcript(`
    $ stackops redeploy -s shop -y -q
    $ stackops redeploy -s shop -y --wait
    ! 12:00:00 deployment 1043: queued
    ! 12:00:05 deployment 1043: deploying
    ! 12:00:10 deployment 1043: success
    ! undo: stackops deployment rollback 1042 -s shop
    deployment 1043 succeeded after 4s: commit 967009b
    Previously live: deployment 1042, commit d9a2ece
  `));

test('a deployment that fails is 9, and nothing is there to take back', transcriptFile);
test('a deployment that takes too long is 8, and can be waited for and cancelled', transcriptFile);
test('deployment wait ends as the deployment does', transcriptFile);

test('where nothing can show the end, the wait says so at once', async () => {
  const { env } = await startService(({ method }, response) =>
    method === 'POST'
      ? reply(response, { response: { message: 'ok', queued: true } })
      : reply(response, { error: 'forbidden' }, 403),
  );
  const { code, stderr } = await run(['redeploy', '-s', '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60', '-y', '--wait'], { env });
  expect(code).toBe(8);
  expect(stderr).toContain(
    'error: cannot tell whether the deployment finished: the deployments before it could not be read\n',
  );
});

test('the cause of a failure repeats no value that was written', async () => {
  const times = { started_at: '2026-05-04T12:00:00Z', finished_at: '2026-05-04T12:00:04Z' };
  const failed = { id: 3, ...times, outcome: { code: 2, meaning: 'failed' } };
  const action = { id: 9, action: 'deploy', ...times, finished_success: false, finished_message: 'bad correct-horse' };
  const replies: Readonly<Record<string, unknown>> = {
    'POST environments': { id: 1, key: 'A', value: 'correct-horse' },
    'GET environments': [],
    'POST deployments': { id: 3, message: 'ok', queued: true },
    'GET deployments': [],
    'GET 3': failed,
    'GET actions': [action],
  };
  const { env } = await startService(({ method, path }, response) =>
    reply(response, { response: replies[`${method} ${path.slice(path.lastIndexOf('/') + 1)}`] ?? {} }),
  );
  const words = 'stack env set A=correct-horse --redeploy -y --wait -s 5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
  const { stderr } = await run(words.split(' '), { env });
  expect(stderr).toMatch(/deployment 3 failed after 4s: bad \S+\./);
  expect(stderr).not.toContain('correct-horse');
});
