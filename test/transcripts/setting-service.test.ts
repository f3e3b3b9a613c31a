import { expect, test } from 'vitest';
import { reply, type Seen, startService } from '../support/service.ts';
import { run } from '../support/stackops.ts';
import { transcriptFile } from '../support/transcript.ts';

/** What other services do than the sandbox: lists closed to the token, two servers of one name, odd values. */
const stack = '5f3c0000000000000000000000000001';
const at = `/stacks/${stack}`;

async function served(answers: Readonly<Record<string, unknown>>) {
  const service = await startService((request: Seen, response) => {
    const known = answers[`${request.method} ${request.path}`];
    if (typeof known === 'number') return reply(response, { error: 'no', details: 'told so' }, known);
    return reply(response, known ?? { error: 'not_found' }, known ? 200 : 404);
  });
  const env = { NO_COLOR: '1', STACKOPS_BASE_URL: service.url, STACKOPS_TOKEN: 'token', STACKOPS_STACK: stack };
  const play = (words: string, terminal?: number) =>
    run(words.split(' '), { env, now: () => new Date('2026-05-04T12:00:00Z'), ...(terminal && { terminal }) });
  return { play, seen: service.seen };
}

test('one setting is read by its dashed key when the list is closed to the token', transcriptFile);
test('the same for a server', transcriptFile);
test('both shapes of the list of a server read well, together if need be', transcriptFile);

test('values that are not text are printed as JSON', async () => {
  const values = { a: true, b: 7, c: null, d: { x: [1] }, e: '' };
  const items = Object.entries(values).map(([key, value]) => ({ key, value, readonly: false }));
  const { play } = await served({ [`GET ${at}/settings`]: { response: items } });
  const printed = await Promise.all(Object.keys(values).map((key) => play(`stack settings get ${key}`)));
  expect(printed.map(({ stdout }) => stdout)).toEqual(['true\n', '7\n', 'null\n', '{"x":[1]}\n', '\n']);
});

test('a run that fails in part tells what was queued, and how to undo that', transcriptFile);
test('two servers of one name are distinguished by their UIDs', transcriptFile);
test('a reboot that answers with its action is queued as that', transcriptFile);
test('a process that runs nowhere is scaled on the server that is named', transcriptFile);
test('a finished scaling that the service does not show is only accepted, and 8 when waited for', transcriptFile);
