import { expect, test } from 'vitest';
import { startSandbox } from '../../support/sandbox.ts';
import { run } from '../../support/stackops.ts';

test('--verbose names every request and none of its secrets', async () => {
  const sandbox = await startSandbox();
  const { env } = sandbox;
  const { code, stderr } = await run(['stack', 'env', 'set', 'API_SECRET=hunter2', '-s', 'shop', '-v'], { env });
  expect(code).toBe(0);
  expect(stderr.replaceAll(/, \d+ ms, \d+ bytes, request [\w-]+$/gm, '')).toBe(
    [
      '* GET /stacks -> 200',
      '* GET /stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/environments -> 200',
      '* GET /stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/environments -> 200',
      '* POST /stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/environments -> 200',
      'undo: stackops stack env unset API_SECRET -s shop',
      '',
    ].join('\n'),
  );
  expect(stderr).not.toContain('hunter2');
  expect(stderr).not.toContain(sandbox.token);
});
