import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const tour = resolve(import.meta.dirname, '../../scripts/demo.mjs');

it('leads through the first hour, whatever this machine is set to', async () => {
  const misleading = { STACKOPS_BASE_URL: 'http://127.0.0.1:9/', STACKOPS_TOKEN: 'wrong', STACKOPS_STACK: 'nowhere' };
  const env = { ...process.env, ...misleading, FORCE_COLOR: undefined };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [tour], { env });
  expect(stderr).toBe('');
  const lines = stdout.split('\n');
  const after = (typed: string) => lines[lines.lastIndexOf(`$ stackops ${typed}`) + 1];
  expect(stdout).toMatch(/^Signed in as ada@harbour\.example \(public, redeploy, users, admin\); token \*{4}/m);
  expect(after("stack env set LOG_LEVEL=debug 'MOTTO=Read more'")).toBe('LOG_LEVEL updated (info -> debug)');
  expect(after('stack env get MOTTO')).toBe('Read more');
  expect(after('variant weight va-canary 25')).toBe('variant va-canary updated (10 % -> 25 %)');
  expect(stdout).toMatch(/^va-canary +canary +25 /m);
  expect(stdout).toMatch(/^Message: {8}Database user reporter created\.$/m);
  expect(after('redeploy -y')).toBe('deployment 1042 queued: Stack shop queued for redeployment');
  expect(JSON.parse(after('deployment list --limit 2 --json --fields id,outcome,is_live') ?? '')).toEqual([
    { id: 1042, outcome: { code: 1, meaning: 'success' }, is_live: true },
    { id: 1041, outcome: { code: 1, meaning: 'success' }, is_live: false },
  ]);
  expect(lines.slice(-5)).toEqual([
    'Next',
    '  node bin/stackops.js --sandbox stack list   a sandbox without a server',
    '  node bin/stackops.js stack env set --help   every command has such a page',
    '  npm pack && npm install -g stackops-*.tgz   install it, then see README.md',
    '',
  ]);
});
