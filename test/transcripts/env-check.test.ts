import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { forms } from '../support/reply-forms.ts';
import { startSandbox } from '../support/sandbox.ts';
import { reply, startService } from '../support/service.ts';
import { run, temporaryFolder } from '../support/stackops.ts';
import { transcriptFile } from '../support/transcript.ts';

// staging.env names LOG_LEVEL and CURRENCY, which shop has, and NEW_FLAG and API_SECRET, which it lacks.

const uid = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
const staging = 'a81b6c0d4e2f49738c5d6e7f80912a3b';

test('the first line says what is missing; rows of it, with --json of all keys, and never a value', transcriptFile);

test('named keys limit it to those of the file', transcriptFile);

test('an empty value counts as missing, unless it is allowed', transcriptFile);

test.each([
  ['dotenv', '# for all\nexport LOG_LEVEL=\nNEW=1\n', 'a.env.example'],
  ['shell', "export LOG_LEVEL='made up'\nexport NEW='x y'\n", 'a.sh'],
  ['json', '{"LOG_LEVEL": "", "NEW": 7}', 'a.json'],
  ['yaml', 'LOG_LEVEL: ""\nNEW: "x"\n', 'a.yaml'],
])('the keys are read from %s, by the name of the file or by --format', async (format, text, name) => {
  const file = join(temporaryFolder(), name);
  writeFileSync(file, text);
  const env = { STACKOPS_SANDBOX: '1' };
  const expected = { code: 10, stdout: 'NEW\tmissing\n' };
  expect(await run(['stack', 'env', 'check', file, '-s', 'shop'], { env })).toMatchObject(expected);
  const piped = ['stack', 'env', 'check', '-', '--format', format, '-s', 'shop'];
  expect(await run(piped, { env, stdin: text })).toMatchObject(expected);
});

test(
  'the keys of another stack are those that users made, which read-only and generated ones here satisfy',
  transcriptFile,
);
test('several stacks, by name or pattern: rows say of which one they are', transcriptFile);
test('what is no check', transcriptFile);

test('where the service answers 403 the exit code is 5, and that is no verdict', transcriptFile);
test('where the service answers 500 the exit code is 7, and that is no verdict', transcriptFile);
test('a value that the service hides is one; nothing that it sends is printed', transcriptFile);
test('one stack: one request for each that is read, whatever is missing', transcriptFile);
test('two stacks: one request for each that is read, whatever is missing', transcriptFile);
test('two stacks beside a third: one request for each that is read, whatever is missing', transcriptFile);

test('where a name means another stack by now, that one is checked', async () => {
  const stacks = [
    { uid, name: 'shop', environment: 'production' },
    { uid: 'b'.repeat(32), name: 'model', environment: 'staging' },
  ];
  const service = await startService(({ path }, response) => {
    if (path === '/stacks') return reply(response, { response: stacks, pagination: { next: null } });
    const key = path.includes(stacks[0]?.uid ?? '') ? 'HERE' : 'NEEDED';
    return reply(response, { response: [{ key, value: 'x' }], pagination: { next: null } });
  });
  const folders = { XDG_CACHE_HOME: temporaryFolder(), STACKOPS_CONFIG_DIR: temporaryFolder() };
  const env = { ...service.env, ...folders };
  const words = ['stack', 'env', 'check', '--with-stack', 'model', '-s', 'shop'];
  const expected = { code: 10, stderr: 'error: shop/production: 1 missing: NEEDED\n', stdout: 'NEEDED\tmissing\n' };
  expect(await run(words, { env })).toEqual(expected);
  stacks[0] = { uid: staging, name: 'shop', environment: 'production' };
  expect(await run(words, { env })).toEqual(expected);
});

test('redeploy --require-env refuses before anything is sent, with --dry-run, too', transcriptFile);

test.each(Object.entries(forms))('redeploy --require-env where the service answers as %s', async (_, form) => {
  const folder = temporaryFolder();
  const file = join(folder, '.env.example');
  const sandbox = await startSandbox(form);
  const { env } = sandbox;
  const words = ['redeploy', '--require-env', file, '-s', uid, '-y'];
  writeFileSync(file, 'LOG_LEVEL=\nNEW=\n');
  expect(await run(words, { env })).toMatchObject({ code: 6, stdout: '' });
  const sent = () => sandbox.requests.filter(({ method }) => method !== 'GET').length;
  expect(sent()).toBe(0);
  writeFileSync(file, 'LOG_LEVEL=\n');
  expect(await run(words, { env })).toMatchObject({ code: 0 });
  expect(sent()).toBe(1);
});
