import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ownEnvironment, runBuilt } from '../../support/built.ts';
import { temporaryFolder } from '../../support/stackops.ts';

test.skipIf(process.platform !== 'linux')('the browser inherits no credentials', async () => {
  const folder = temporaryFolder();
  const list = join(folder, 'environment');
  writeFileSync(join(folder, 'xdg-open'), `#!/bin/sh\nenv > ${list}.part && mv ${list}.part ${list}\n`);
  chmodSync(join(folder, 'xdg-open'), 0o755);
  const env = ownEnvironment({
    PATH: `${folder}:${process.env['PATH']}`,
    STACKOPS_TOKEN: 'hunter22',
    STACKOPS_CLIENT_SECRET: 'sesame33',
    STACKOPS_BASE_URL: 'http://127.0.0.1:9/api/3',
  });
  const words = ['auth', 'login', '--client-id', 'app', '--callback-port', '0', '--timeout', '3s'];
  expect(await runBuilt(words, { env })).toMatchObject({ code: 4, stderr: expect.stringContaining('timed out') });
  const inherited = readFileSync(list, 'utf8');
  expect(inherited).toContain('STACKOPS_BASE_URL=');
  expect(inherited).not.toMatch(/hunter22|sesame33/);
});
