import { expect, test } from 'vitest';
import { reply, startService } from '../support/service.ts';
import { run } from '../support/stackops.ts';
import { transcriptFile } from '../support/transcript.ts';

test('during another deployment redeploy waits, skips or fails', transcriptFile);
test('where no deployment is in progress, it deploys at once', transcriptFile);

test('a person is asked before it waits', transcriptFile);

const uid = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';

test('a stack that says that it is busy is not deployed to', transcriptFile);
test('a stack that is being analysed is not deployed to', transcriptFile);
test('a stack that is queued is not deployed to', transcriptFile);
test('a stack that is deploying is not deployed to', transcriptFile);
test('a stack that has an unfinished action is not deployed to', transcriptFile);
test('a stack that has a deployment in progress is not deployed to', transcriptFile);

test('a status that names nothing in progress keeps no deployment waiting', async () => {
  for (const status of [0, 1, 2, 4, 7]) {
    const { env, seen } = await startService(({ method, path }, response) => {
      if (method === 'POST') reply(response, { response: { id: 3, message: 'ok', queued: true } });
      else if (path.endsWith(uid)) reply(response, { response: { uid, name: 'shop', status, is_busy: false } });
      else reply(response, { response: [] });
    });
    const { code } = await run(['redeploy', '-s', uid, '-y', '--if-busy', 'fail'], { env });
    expect([status, code]).toEqual([status, 0]);
    expect(seen.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET', 'POST']);
  }
});

test('while it waits, only what kept the stack busy is read again', transcriptFile);
test('what is not shown is said to be unchecked', transcriptFile);
