import { expect, test } from 'vitest';
import { startSandbox } from '../support/sandbox.ts';
import { run } from '../support/stackops.ts';
import { transcriptFile } from '../support/transcript.ts';

test('one deployment follows the changes; where nothing changes, none does', transcriptFile);
test('set asks only with --redeploy', transcriptFile);
test('--wait waits for the deployment', transcriptFile);

test('a service that replies with actions', (context) => transcriptFile(context, { sandbox: { replies: 'actions' } }));

test('a deployment is requested when the actions of the variables have ended', (context) =>
  transcriptFile(context, { sandbox: { replies: 'actions' } }));

test('after an action that failed nothing is deployed', (context) =>
  transcriptFile(context, { sandbox: { replies: 'actions', failActions: true } }));

async function served(...faults: readonly string[]) {
  const sandbox = await startSandbox({ faults });
  const { env } = sandbox;
  return {
    env,
    posted: () => sandbox.requests.filter(({ method, path }) => method === 'POST' && /deployments$/.test(path)).length,
  };
}

const set = ['stack', 'env', 'set', 'LOG_LEVEL=debug', 'CURRENCY=USD', '-s', 'shop', '--redeploy', '-y'];

test('without a terminal --redeploy needs -y', async () => {
  const { env, posted } = await served();
  const { code, stderr } = await run(set.slice(0, -1), { env });
  expect([code, posted()]).toEqual([2, 0]);
  expect(stderr).toContain('"stack env set" needs -y (no terminal);');
});

test('after a change that failed nothing is deployed, also with --keep-going', async () => {
  const { env, posted } = await served('PUT /stacks/*/environments/LOG_LEVEL=400');
  const { code, stdout } = await run([...set, '--keep-going'], { env });
  expect([code, posted()]).toEqual([1, 0]);
  expect(stdout).toBe('updating LOG_LEVEL (failed)\nCURRENCY updated (EUR -> USD)\nNot redeployed: a change failed.\n');
});

test('a deployment that is refused is a failure in part, and what was changed is shown with its undo', async () => {
  const { env, posted } = await served('POST /stacks/*/deployments=400');
  expect(await run(set, { env })).toEqual({
    code: 1,
    stdout: 'LOG_LEVEL updated (info -> debug)\nCURRENCY updated (EUR -> USD)\n',
    stderr:
      'undo: stackops stack env rollback LOG_LEVEL CURRENCY -s shop\n' +
      'error: the service refused the request (400): simulated failure (400). The changes before it were made.\n',
  });
  expect(posted()).toBe(1);
});

test('one stack that fails keeps the others from being deployed', async () => {
  const { env, posted } = await served('POST /stacks/a81b6c0d4e2f49738c5d6e7f80912a3b/environments=400');
  const { code, stdout } = await run([...set.with(6, 'shop,blog/staging'), '--keep-going'], { env });
  expect([code, posted()]).toEqual([1, 0]);
  expect(stdout).toContain('blog/staging: Not redeployed: a change failed.\n');
});

test('a deployment that may have started is 11', async () => {
  const { env } = await served('POST /stacks/*/deployments=503');
  const { code, stdout, stderr } = await run([...set, '--json'], { env });
  expect([code, JSON.parse(stdout).length]).toEqual([11, 2]);
  expect(JSON.parse(stderr.split('\n').at(-2) ?? '')).toMatchObject({
    error: { code: 'outcome_unknown', exit_code: 11 },
  });
});
