import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startSandbox } from '../../support/sandbox.ts';
import { run } from '../../support/stackops.ts';

const hasCurl = spawnSync('curl', ['--version']).status === 0;
const sh = (line: string, env: Readonly<Record<string, string>>) =>
  promisify(execFile)('sh', ['-c', line], { env: { PATH: process.env['PATH'] ?? '', NO_PROXY: '*', ...env } });

test.skipIf(!hasCurl)('the line of --curl does what the command would have done', async () => {
  const sandbox = await startSandbox();
  const { env } = sandbox;
  const value = `it's "$HOME" \`id\` \\ 100% é\n!`;
  const { stdout: line } = await run(['stack', 'env', 'set', `QUOTED=${value}`, '-s', 'shop', '--curl'], { env });
  expect(line).not.toContain(sandbox.token);
  await sh(line, { STACKOPS_TOKEN: sandbox.token });
  expect(await run(['stack', 'env', 'get', 'QUOTED', '-s', 'shop'], { env })).toEqual({
    code: 0,
    stdout: `${value}\n`,
    stderr: '',
  });
});
