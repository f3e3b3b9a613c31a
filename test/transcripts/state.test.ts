import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'vitest';
import { temporaryFolder } from '../support/stackops.ts';
import { transcriptFile } from '../support/transcript.ts';

/** A session in a folder with this file. */
const session = (stackFile: string) => (context: TestContext) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'stackops.yaml'), stackFile);
  return transcriptFile(context, { folder });
};

const shop = `version: 1
stacks:
  shop/production: {}
  blog/staging:
    env: { LOG_LEVEL: warn, SECRET_KEY_BASE: { unmanaged: true } }
env:
  LOG_LEVEL: debug
  RAILS_ENV: production
  NEW_ONE: first
  SECRET_KEY_BASE: { preserve: true }
  FROM_ENV: { env: NOT_SET }
  TIME_ZONE: { absent: true }
settings: { git.branch: release }
`;

test('[14] a plan shows deletions first, masked, with the number of requests', session(shop));

test(
  '[17] everything impossible is told at once',
  session(`version: 1
stack: shop/production
env:
  STACK_NAME: other
  NO_SUCH: { preserve: true }
  LOG_LEVEL: ''
  POSTGRESQL_ADDRESS: { absent: true }
settings: { no.such: x, stack.name: other, reconfigure.nginx: 'true' }
`),
);
