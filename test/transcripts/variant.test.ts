import { expect, test } from 'vitest';
import { reply, startService } from '../support/service.ts';
import { run } from '../support/stackops.ts';
import { transcriptFile } from '../support/transcript.ts';

test('variants are listed', transcriptFile);
test('a variant answers to its type while it is the only one of it', transcriptFile);

test('a share that the service does not show has no undo', async () => {
  const row = { uid: 'va-one', variant_type: 'canary', git_hash: 'a', id: 1 };
  let percentage: number | null = null;
  const { url } = await startService(({ method }, response) => {
    if (method === 'GET') return reply(response, { response: [{ ...row, percentage }] });
    percentage = 30;
    reply(response, { response: { ok: true } });
  });
  const env = { STACKOPS_BASE_URL: url, STACKOPS_TOKEN: 'token' };
  const words = ['variant', 'weight', 'va-one', '30', '-s', '5'.repeat(32)];
  const { stdout, stderr } = await run(words, { env });
  expect([stdout, stderr]).toEqual(['variant va-one updated (- -> 30 %; no undo)\n', '']);
});

test('of two variants of a type none is chosen', async () => {
  const rows = ['va-one', 'va-two'].map((uid) => ({
    uid,
    variant_type: 'canary',
    percentage: 5,
    git_hash: 'a',
    id: 1,
  }));
  const { url, seen } = await startService((_, response) => reply(response, { response: rows }));
  const env = { STACKOPS_BASE_URL: url, STACKOPS_TOKEN: 'token' };
  const words = ['variant', 'weight', 'canary', '30', '-s', '5'.repeat(32)];
  const { code, stderr } = await run(words, { env });
  expect([code, stderr]).toEqual([
    3,
    'error: 2 variants are called "canary": va-one, va-two\nhint: stackops variant list -s 55555555555555555555555555555555\n',
  ]);
  expect(seen.map(({ method }) => method)).not.toContain('PUT');
});

test('a canary is weighed', transcriptFile);
test('what cannot be weighed is refused before anything is sent', transcriptFile);
test('a canary is committed after a question', transcriptFile);
test('a preview is deleted, anything else is not', transcriptFile);
