import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseFault } from '../../src/sandbox/faults.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import { run, temporaryFolder } from '../support/stackops.ts';

async function served(...faults: readonly string[]) {
  const sandbox = await startSandbox({ faults: faults.map(parseFault) });
  onTestFinished(() => sandbox.close());
  return { sandbox, env: { STACKOPS_BASE_URL: sandbox.url.href, STACKOPS_TOKEN: sandbox.token } };
}

const words = ['stack', 'env', 'set', 'NEW_FLAG=1', 'LOG_LEVEL=debug', 'CURRENCY=USD', '-s', 'shop'];

test('a run that fails half-way tells what was done and what was not, and is 1', async () => {
  const { env } = await served('PUT /stacks/*/environments/LOG_LEVEL=400');
  expect(await run(words, { env })).toEqual({
    code: 1,
    stdout: 'NEW_FLAG created\n',
    stderr:
      'error: LOG_LEVEL failed after 1 went through: the service refused the request (400): ' +
      'the sandbox was told to answer 400; not tried: CURRENCY\n',
  });
});

test('the same in JSON: what was done on stdout, one line of error on stderr', async () => {
  const { env } = await served('PUT /stacks/*/environments/LOG_LEVEL=400');
  const { code, stdout, stderr } = await run([...words, '--json'], { env });
  expect([code, stdout]).toEqual([1, '[{"key":"NEW_FLAG","change":"created"}]\n']);
  expect(stderr.split('\n')).toHaveLength(2);
  expect(JSON.parse(stderr)).toMatchObject({
    error: {
      code: 'rejected',
      status: 400,
      exit_code: 1,
      operation: 'PUT /stacks/:stack_id/environments/:env_var_key',
    },
  });
});

test('a run of which nothing went through keeps the code of its failure', async () => {
  const { env } = await served('POST /stacks/*/environments=400');
  expect(await run(words, { env })).toEqual({
    code: 6,
    stdout: '',
    stderr: 'error: the service refused the request (400): the sandbox was told to answer 400\n',
  });
});

test('a change without an answer names the command that checks, with the address that was given', async () => {
  const { env, sandbox } = await served('PUT /stacks/*/environments/LOG_LEVEL=reset');
  const { STACKOPS_TOKEN } = env;
  const argv = ['stack', 'env', 'set', 'LOG_LEVEL=debug', '-s', 'shop', '--base-url', sandbox.url.href];
  const { code, stderr } = await run(argv, { env: { STACKOPS_TOKEN } });
  expect(code).toBe(11);
  expect(stderr).toContain(
    `\nhint: stackops stack env list -s 5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60 --base-url ${sandbox.url.href}\n`,
  );
});

test('a value comes from a file, without its last line feed', async () => {
  const { env, sandbox } = await served();
  const file = join(temporaryFolder(), 'key.pem');
  writeFileSync(file, 'first = 1\r\n\nlast\n');
  expect(await run(['stack', 'env', 'set', 'KEY', '--from-file', file, '-s', 'shop'], { env })).toEqual({
    code: 0,
    stdout: 'KEY created\n',
    stderr: '',
  });
  expect(JSON.parse(sandbox.requests.at(-1)?.body ?? '')).toEqual({ key: 'KEY', value: 'first = 1\r\n\nlast' });
});

test('all pages arrive as one array', async () => {
  const { env, sandbox } = await served();
  const { stdout } = await run(['stack', 'env', 'list', '-s', 'shop', '--json'], { env });
  expect(stdout.trimEnd()).not.toContain('\n');
  expect(JSON.parse(stdout)).toHaveLength(38);
  expect(sandbox.requests.map(({ path, query }) => [path.split('/').at(-1), query])).toEqual([
    ['stacks', ''],
    ['environments', ''],
    ['environments', 'page=2'],
  ]);
});
