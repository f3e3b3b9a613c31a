import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type TestContext, test } from 'vitest';
import { startSandbox } from '../support/sandbox.ts';
import { reply, startService } from '../support/service.ts';
import { run, temporaryFolder } from '../support/stackops.ts';
import { transcriptFile } from '../support/transcript.ts';

test('of several, one that fails lets those under way end, and the run is 1', transcriptFile);
test('one that fails keeps the fifth and later from being tried, unless --keep-going', transcriptFile);
test('the same in JSON: the state of each on stdout, one line of error on stderr', transcriptFile);
test('a run of which nothing went through keeps the code of its failure', transcriptFile);
test('what needed no change did not go through: it takes nothing from the code of the failure', transcriptFile);
test('a change that was carried out and cut off is seen by looking', transcriptFile);
test('so is a deletion', transcriptFile);
test('a change that was not carried out stays unknown, and the hint checks it at the same service', transcriptFile);

test('a value comes from a file, without its last line feed', (context) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'key.pem'), 'first = 1\r\n\nlast\n');
  return transcriptFile(context, { folder });
});

test('all pages arrive as one array', async () => {
  const { env, requests } = await startSandbox();
  const { stdout } = await run(['stack', 'env', 'list', '-s', 'shop', '--json'], { env });
  expect(stdout.trimEnd()).not.toContain('\n');
  expect(JSON.parse(stdout)).toHaveLength(38);
  expect(requests.map(({ path, query }) => [path.split('/').at(-1), query])).toEqual([
    ['stacks', ''],
    ['environments', ''],
    ['environments', 'page=2'],
  ]);
});

/** Plays the session against a service of one stack whose list of variables depends on the number of the read. */
function listing(list: (number: number) => unknown, answer: unknown) {
  let reads = 0;
  const service = () =>
    startService(({ method }, response) => {
      if (method !== 'GET') return reply(response, { response: answer });
      reads += 1;
      const rows = list(reads);
      if (rows === undefined) return reply(response, { error: 'broken' }, 503);
      reply(response, { response: rows, pagination: { next: null } });
    });
  return (context: TestContext) => transcriptFile(context, { service: service() });
}

const past = [{ key: 1, value: 'debug', created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-02T00:00:00Z' }];
const variable = (value: unknown, history: readonly unknown[] = past) => [
  { key: 'LEVEL', value, readonly: false, is_password: false, history },
];
const queued = { id: 812, action: 'env_vars_update', started_via: 'api', finished_at: null };

test(
  'a variable that was changed meanwhile is left alone',
  listing((number) => variable(number === 1 ? 'info' : 'trace'), {}),
);
test(
  'one that was deleted meanwhile is not created again',
  listing((number) => (number === 1 ? variable('info') : []), {}),
);
test(
  'an answer that shows no variable is followed by one read',
  listing((number) => variable(number === 1 ? 'info' : 'debug'), { ok: true }),
);
test(
  'a read that fails does not make the change fail',
  listing((number) => (number === 1 ? variable('info') : undefined), { ok: true }),
);
test(
  'an answer that is an action is queued as that: no result is read back, and its undo waits for its end',
  listing(() => variable('info'), queued),
);
test(
  'a deletion that is queued is undone once it has ended',
  listing(() => variable('info'), { ...queued, action: 'env_vars_delete' }),
);
test(
  'a service that shows another value is not taken at its word',
  listing(() => variable('info'), variable('DEBUG', [{ ...past[0], value: 'other' }])[0]),
);
test(
  'a value that is no text is the same as its text',
  listing(() => variable(4), {}),
);

const unordered = [
  { value: 'second', created_at_iso: '2026-01-02T00:00:00Z', updated_at_iso: '2026-01-03T00:00:00Z' },
  { value: 'first', created_at_iso: '2026-01-01T00:00:00Z', updated_at_iso: '2026-01-02T00:00:00Z' },
];
test(
  'a history in another order, without numbers and with other names of moments, is put in order',
  listing(() => variable('third', unordered), {}),
);
