import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startSandbox } from '../support/sandbox.ts';
import { reply, startService } from '../support/service.ts';
import { run, temporaryFolder } from '../support/stackops.ts';

async function served(...faults: readonly string[]) {
  const sandbox = await startSandbox({ faults });
  return { sandbox, env: sandbox.env };
}

const uid = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
const words = ['stack', 'env', 'set', 'NEW_FLAG=1', 'LOG_LEVEL=debug', 'CURRENCY=USD', '-s', 'shop'];
const late = 'Running code may see this only after the next deployment.\n';
const severalLate = 'Running code may see each change at once, or only after the next deployment.\n';
const refused = 'the service refused the request (400): simulated failure (400)';

test('of several, one that fails lets those under way end, and the run is 1', async () => {
  const { env } = await served('PUT /stacks/*/environments/LOG_LEVEL=400');
  expect(await run(words, { env })).toEqual({
    code: 1,
    stdout: `NEW_FLAG created (1)\nupdating LOG_LEVEL (failed)\nCURRENCY updated (EUR -> USD)\n${severalLate}`,
    stderr:
      `undo: stackops stack env rollback CURRENCY -s shop && stackops stack env unset NEW_FLAG -s shop\n` +
      `error: LOG_LEVEL failed: ${refused}. NEW_FLAG was created. CURRENCY was updated.\n`,
  });
});

test('one that fails keeps the fifth and later from being tried, unless --keep-going', async () => {
  const argv = ['stack', 'env', 'set', 'LOG_LEVEL=debug', 'A=1', 'B=1', 'C=1', 'D=1', 'E=1', '-s', 'shop'];
  const { env } = await served('PUT /stacks/*/environments/LOG_LEVEL=400');
  const { code, stdout } = await run(argv, { env });
  expect([code, stdout.split('\n').includes('creating E (not tried)')]).toEqual([1, true]);
  expect(await run([...argv, '--keep-going', '-q'], { env })).toEqual({
    code: 1,
    stdout: '',
    stderr: `error: LOG_LEVEL failed: ${refused}. D, E were created.\n`,
  });
});

test('the same in JSON: the state of each on stdout, one line of error on stderr', async () => {
  const { env } = await served('PUT /stacks/*/environments/LOG_LEVEL=400');
  const { code, stdout, stderr } = await run([...words, '--json'], { env });
  const rest = { action: null, message: null, error: null };
  const error = { code: 'rejected', message: refused };
  expect([code, JSON.parse(stdout)]).toEqual([
    1,
    [
      { key: 'NEW_FLAG', change: 'created', before: null, after: '1', ...rest },
      { key: 'LOG_LEVEL', change: 'failed', before: 'info', after: 'debug', ...rest, error },
      { key: 'CURRENCY', change: 'updated', before: 'EUR', after: 'USD', ...rest },
    ],
  ]);
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
  expect(await run(['stack', 'env', 'set', 'NEW_FLAG=1', '-s', 'shop'], { env })).toEqual({
    code: 6,
    stdout: '',
    stderr: `error: ${refused}\n`,
  });
});

test('what needed no change did not go through: it takes nothing from the code of the failure', async () => {
  const { env } = await served('PUT /stacks/*/environments/LOG_LEVEL=reset');
  const argv = ['stack', 'env', 'set', 'CURRENCY=EUR', 'LOG_LEVEL=debug', '-s', 'shop'];
  const { code, stdout, stderr } = await run(argv, { env: { ...env, STACKOPS_RECONCILE: 'off' } });
  expect([code, stdout]).toEqual([11, 'CURRENCY unchanged (EUR)\nupdating LOG_LEVEL (outcome unknown)\n']);
  expect(stderr).not.toContain('done:');
});

test('a change that was carried out and cut off is seen by looking', async () => {
  const { env } = await served('PUT /stacks/*/environments/LOG_LEVEL=reset');
  const { code, stdout, stderr } = await run(['stack', 'env', 'set', 'LOG_LEVEL=debug', '-s', 'shop'], { env });
  expect([code, stdout]).toEqual([0, `LOG_LEVEL updated (info -> debug)\n${late}`]);
  expect(stderr).toMatch(/^warning: .*; checked afterwards: the change was applied\nundo: .* rollback LOG_LEVEL .*\n$/);
});

test('so is a deletion', async () => {
  const { env } = await served('DELETE /stacks/*/environments/LOG_LEVEL=reset');
  const { code, stdout, stderr } = await run(['stack', 'env', 'unset', 'LOG_LEVEL', '-s', 'shop', '-y'], { env });
  expect([code, stdout]).toEqual([0, `LOG_LEVEL deleted (was info)\n${late}`]);
  expect(stderr).toMatch(
    /^warning: .*; checked afterwards: the change was applied\nundo: .* LOG_LEVEL=info -s shop\n$/,
  );
});

test('a change that was not carried out stays unknown, and the hint checks it at the same service', async () => {
  const { env, sandbox } = await served('PUT /stacks/*/environments/LOG_LEVEL=503');
  const { STACKOPS_TOKEN } = env;
  const argv = ['stack', 'env', 'set', 'LOG_LEVEL=debug', '-s', 'shop', '--base-url', sandbox.url.href];
  const { code, stdout, stderr } = await run(argv, { env: { STACKOPS_TOKEN } });
  expect([code, stdout]).toEqual([11, '']);
  expect(stderr).toContain(`\nhint: stackops stack env list -s shop --base-url ${sandbox.url.href}\n`);
});

test('a value comes from a file, without its last line feed', async () => {
  const { env, sandbox } = await served();
  const file = join(temporaryFolder(), 'key.pem');
  writeFileSync(file, 'first = 1\r\n\nlast\n');
  expect(await run(['stack', 'env', 'set', 'KEY', '--from-file', file, '-s', 'shop'], { env })).toEqual({
    code: 0,
    stdout: `KEY created (***)\n${late}`,
    stderr: `undo: stackops stack env unset KEY -s shop\n`,
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

/** A service of one stack whose list of variables depends on the number of the read. */
async function listing(look: (number: number) => unknown, answer: unknown) {
  let looks = 0;
  const service = await startService(({ method }, response) => {
    if (method !== 'GET') return reply(response, { response: answer });
    looks += 1;
    const list = look(looks);
    if (list === undefined) return reply(response, { error: 'broken' }, 503);
    reply(response, { response: list, pagination: { next: null } });
  });
  return { service, env: service.env };
}

const past = [{ key: 1, value: 'debug', created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-02T00:00:00Z' }];
const variable = (value: unknown, history: readonly unknown[] = past) => [
  { key: 'LEVEL', value, readonly: false, is_password: false, history },
];
const queued = { id: 812, action: 'env_vars_update', started_via: 'api', finished_at: null };
const set = ['stack', 'env', 'set', 'LEVEL=debug', '-s', uid];
const rollback = ['stack', 'env', 'rollback', 'LEVEL', '-s', uid];

test('a variable that was changed meanwhile is left alone', async () => {
  const { env, service } = await listing((number) => variable(number === 1 ? 'info' : 'trace'), {});
  expect(await run(rollback, { env })).toEqual({
    code: 6,
    stdout: '',
    stderr: `error: LEVEL was changed meanwhile; it was not rolled back\nhint: stackops stack env history LEVEL -s ${uid}\n`,
  });
  expect(service.seen.map(({ method }) => method)).toEqual(['GET', 'GET']);
});

test('one that was deleted meanwhile is not created again', async () => {
  const { env } = await listing((number) => (number === 1 ? variable('info') : []), {});
  const { code, stderr } = await run(rollback, { env });
  expect([code, stderr.split('\n')[0]]).toEqual([6, 'error: LEVEL was deleted meanwhile; it was not rolled back']);
});

test('an answer that shows no variable is followed by one read', async () => {
  const { env, service } = await listing((number) => variable(number === 1 ? 'info' : 'debug'), { ok: true });
  const { code, stdout } = await run(set, { env });
  expect([code, stdout]).toEqual([0, `LEVEL updated (info -> debug)\n${late}`]);
  expect(service.seen.map(({ method }) => method)).toEqual(['GET', 'PUT', 'GET']);
});

test('a read that fails does not make the change fail', async () => {
  const { env } = await listing((number) => (number === 1 ? variable('info') : undefined), { ok: true });
  const { code, stdout, stderr } = await run(set, { env });
  expect([code, stdout]).toEqual([0, `LEVEL updated (info -> debug)\n${late}`]);
  expect(stderr).toMatch(/^warning: the change was made, but the new state could not be read: .*\nundo: .*\n$/);
});

test('an answer that is an action is queued as that: no result is read back, and its undo waits for its end', async () => {
  const { env, service } = await listing(() => variable('info'), queued);
  expect(await run(set, { env })).toEqual({
    code: 0,
    stdout: `updating LEVEL (action 812, queued): info -> debug\n${late}`,
    stderr: `undo: stackops action wait 812 -s ${uid} && stackops stack env rollback LEVEL -s ${uid}\n`,
  });
  expect(JSON.parse((await run([...set, '--json'], { env })).stdout)).toEqual([
    { key: 'LEVEL', change: 'queued', before: 'info', after: 'debug', action: queued, message: null, error: null },
  ]);
  expect(service.seen.map(({ method }) => method)).toEqual(['GET', 'PUT', 'GET', 'PUT']);
});

test('a deletion that is queued is undone once it has ended', async () => {
  const { env } = await listing(() => variable('info'), { ...queued, action: 'env_vars_delete' });
  const unset = ['stack', 'env', 'unset', 'LEVEL', '-s', uid, '-y'];
  expect(await run(unset, { env, terminal: 80 })).toEqual({
    code: 0,
    stdout: `deleting LEVEL (action 812, queued): was info\n${late}`,
    stderr: `undo: stackops action wait 812 -s ${uid} && stackops stack env set LEVEL=info -s ${uid}\n`,
  });
});

test('a service that shows another value is not taken at its word', async () => {
  const { env } = await listing(() => variable('info'), variable('DEBUG', [{ ...past[0], value: 'other' }])[0]);
  expect(await run(set, { env })).toEqual({
    code: 0,
    stdout: `LEVEL updated (info -> DEBUG)\n${late}`,
    // Its history leads elsewhere, so a rollback would undo nothing.
    stderr: 'warning: the service shows another value for LEVEL than was asked for\n',
  });
});

test('a value that is no text is the same as its text', async () => {
  const { env, service } = await listing(() => variable(4), {});
  const { stdout } = await run(['stack', 'env', 'set', 'LEVEL=4', '-s', uid], { env });
  expect([stdout, service.seen.length]).toEqual(['LEVEL unchanged (4)\n', 1]);
});

test('a history in another order, without numbers and with other names of moments, is put in order', async () => {
  const history = [
    { value: 'second', created_at_iso: '2026-01-02T00:00:00Z', updated_at_iso: '2026-01-03T00:00:00Z' },
    { value: 'first', created_at_iso: '2026-01-01T00:00:00Z', updated_at_iso: '2026-01-02T00:00:00Z' },
  ];
  const { env } = await listing(() => variable('third', history), {});
  expect((await run(['stack', 'env', 'history', 'LEVEL', '-s', uid], { env })).stdout).toBe(
    'LEVEL\t-\tthird\t2026-01-03T00:00:00Z\t-\n' +
      'LEVEL\t2\tsecond\t2026-01-02T00:00:00Z\t2026-01-03T00:00:00Z\n' +
      'LEVEL\t1\tfirst\t2026-01-01T00:00:00Z\t2026-01-02T00:00:00Z\n',
  );
});
