import { expect, test } from 'vitest';
import { seedMoment, seedState } from '../../src/sandbox/seed/seed.ts';
import { unchanged } from '../support/phrases.ts';
import { startSandbox } from '../support/sandbox.ts';
import { run } from '../support/stackops.ts';
import { transcriptFile } from '../support/transcript.ts';

test('the plan is shown and asked about; what is there already stays', transcriptFile);
test('a value that differs is replaced only with --overwrite', transcriptFile);
test('--all leaves passwords out, and says so; --secrets and a name copy them, masked', transcriptFile);
test('what cannot be copied', transcriptFile);

test('a service that replies with actions', (context) => transcriptFile(context, { sandbox: { replies: 'actions' } }));

test('what a service sends instead of a password is never copied', async () => {
  const state = seedState(seedMoment);
  const password = state.stacks[0]?.variables.find(({ key }) => key === 'SMTP_PASSWORD');
  Object.assign(password ?? {}, { value: '********' });
  const sandbox = await startSandbox({ state });
  const { env } = sandbox;
  const copy = ['stack', 'env', 'copy', '--from', 'shop', '-s', 'blog/staging', '-y'];
  const refused = {
    code: 6,
    stdout: '',
    stderr:
      `error: one variable cannot be changed${unchanged}\n` +
      '       SMTP_PASSWORD: the service sends *** instead of its value\n',
  };
  expect(await run([...copy, 'SMTP_PASSWORD'], { env })).toEqual(refused);
  expect(await run([...copy, '--all', '--secrets', '--overwrite'], { env })).toEqual(refused);
  expect(sandbox.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});

test('a password stays masked whatever its name is, before the target knows that it is one', async () => {
  const state = seedState(seedMoment);
  const renamed = state.stacks[0]?.variables.find(({ key }) => key === 'SMTP_PASSWORD');
  Object.assign(renamed ?? {}, { key: 'PIN', value: '12345678' });
  const sandbox = await startSandbox({ state });
  const { env } = sandbox;
  const copy = ['stack', 'env', 'copy', 'PIN', '--from', 'shop', '-s', 'blog/staging', '-y'];
  expect(await run([...copy, '-n'], { env })).toEqual({ code: 0, stdout: '+ PIN  ***\n', stderr: '' });
  const curl = await run([...copy, '--curl'], { env });
  expect(curl.stdout).toContain('"value":"***"');
  expect(await run([...copy, '--json'], { env })).toMatchObject({
    code: 0,
    stdout:
      '[{"key":"PIN","change":"created","before":null,"after":"***","action":null,"message":null,"error":null,"masked":["after"]}]\n',
  });
  expect(sandbox.requests.findLast(({ method }) => method === 'POST')?.body).toContain('12345678');
});
