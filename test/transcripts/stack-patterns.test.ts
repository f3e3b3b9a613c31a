import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mark } from '../support/phrases.ts';
import { reply, startService } from '../support/service.ts';
import { run, temporaryFolder } from '../support/stackops.ts';
import { transcriptFile } from '../support/transcript.ts';

test('a read takes patterns of stacks, and each row names its stack', transcriptFile);
test('a pattern that matches no stack is not found', transcriptFile);
test('a change and a command of one stack refuse a pattern', transcriptFile);

const rows = [
  { uid: '1'.repeat(32), name: 'test-web', environment: 'production' },
  { uid: '2'.repeat(32), name: 'test-db', environment: 'staging' },
  { uid: '3'.repeat(32), name: 'test-db', environment: 'staging' },
  { uid: '4'.repeat(32), name: 'other', environment: 'staging' },
];

async function stacksOf(rowsOfStacks: readonly object[], status = 200) {
  const service = await startService(({ path }, response) => {
    if (path.endsWith('/stacks')) return reply(response, { response: rowsOfStacks }, status);
    reply(response, { response: [{ uid: 'a', name: `web-of-${path.split('/').at(-2)?.slice(0, 1)}` }] });
  });
  return { service, env: service.env };
}

test('stacks that share name and environment are named by UID; the list is read once', transcriptFile);

test('a change with a pattern, and a mistake beside one, send nothing', async () => {
  const { service, env } = await stacksOf(rows);
  expect((await run(['stack', 'env', 'set', 'A=1', '-s', 'test-*'], { env })).code).toBe(2);
  expect((await run(['server', 'list', '-s', 'test-*', '--fields', 'nope'], { env })).code).toBe(2);
  expect(service.seen).toEqual([]);
});

test('a service that lists no stacks says so', transcriptFile);

const sandbox = { STACKOPS_SANDBOX: '1' };

test('lines of a file and of stdin may be patterns', async () => {
  const file = join(temporaryFolder(), 'stacks');
  writeFileSync(file, 'blog* # both\nshop\n');
  const words = ['server', 'list', '--fields', 'stack', '--limit', '3', '-s'];
  const expected = { code: 0, stdout: 'blog/staging\nblog/production\nshop\n' };
  expect(await run([...words, `@${file}`], { env: sandbox })).toMatchObject(expected);
  expect(await run([...words, '-'], { env: sandbox, stdin: 'blog*\nshop\n' })).toMatchObject(expected);
});

test('a command of one stack takes the only line of stdin', async () => {
  const stdin = '# the only one\nshop\n';
  const words = ['stack', 'get', '--jq', '.name', '-s', '-'];
  expect(await run(words, { env: sandbox, stdin })).toMatchObject({ code: 0, stdout: 'shop\n' });
  expect(await run(['variant', 'weight', 'va-canary', '20', '-s', '-'], { env: sandbox, stdin })).toMatchObject({
    code: 0,
    stderr: `${mark}undo: stackops variant weight va-canary 10 -s shop\n`,
  });
  const get = ['stack', 'get', '-s', '-'];
  expect(await run(get, { env: sandbox, stdin: 'shop\nblog/staging\n' })).toMatchObject({
    code: 2,
    stderr: 'error: "stack get" acts on one stack at a time; give -s one name\n',
  });
  expect(await run(get, { env: sandbox, stdin: 'shop*\n' })).toMatchObject({
    code: 2,
    stderr: 'error: "stack get" acts on one stack at a time; give -s one name\n',
  });
  expect(await run(['gateway', 'list', '-s', '-'], { env: sandbox, stdin })).toMatchObject({
    code: 2,
    stderr: 'error: --stack does not apply: "gateway list" does not act on a stack\nhint: stackops gateway list\n',
  });
});

test('stdin that names the only stack is nothing else', async () => {
  const words = ['api', 'POST', '/stacks/{stack}/deployments', '--input', '-', '-s', '-', '-y'];
  expect(await run(words, { env: sandbox, stdin: 'shop\n' })).toMatchObject({
    code: 2,
    stderr: `${mark}error: use stdin for -s or for another value, not both\n`,
  });
});
