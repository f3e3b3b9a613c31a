import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'vitest';
import { temporaryFolder } from '../support/stackops.ts';
import { transcriptFile } from '../support/transcript.ts';

/** A session in a folder with these files: `stackops.yaml`, and others by name. */
const session =
  (stackFile: string, others: Readonly<Record<string, string>> = {}) =>
  (context: TestContext) => {
    const folder = temporaryFolder();
    for (const [name, text] of Object.entries({ 'stackops.yaml': stackFile, ...others })) {
      writeFileSync(join(folder, name), text);
    }
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
settings: { no.such: x, constructor: x, stack.name: other, reconfigure.nginx: 'true' }
`),
);

const own = `# ours
version: 1
stack: shop/production
env:
  LOG_LEVEL: debug # loud
  CURRENCY: { env: CURRENCY }
  SMTP_PASSWORD: in-git
  TIME_ZONE: Europe/Amsterdam
settings: { git.branch: main } # live
`;
test('[11] pull edits a file in place, and a reference stays', session(own));
test('[11] without a file, plan names the pull that makes one', transcriptFile);
test('[12] pull adopts a part of a stack', session(own));
test(
  '[7] a preserved value and a secret that only the file has are masked; the lock of a merge tells nothing',
  session(
    'version: 1\nstack: shop/production\nenv: { LOG_LEVEL: { preserve: true }, CURRENCY: "postgres://u:in-git@h/d", GONE: x }\n',
    {
      'stackops.lock': `stackops-lock 1
shop/production env.GONE 2026-05-04T11:00:00Z 0 AAAAAAAAAAAAAAAA
shop/production env.GONE 2026-05-04T11:30:00Z 1 BBBBBBBBBBBBBBBB
shop/production env.LOG_LEVEL 2026-03-01T18:45:00Z 1 AAAAAAAAAAAAAAAA
`,
    },
  ),
);

const referring = 'version: 1\nstack: shop/production\n';
test(
  '[7] the old value of a reference stays masked',
  session(`${referring}env: { AA: { env: RV }, BB: { env: RV } }\nsettings: { git.branch: { env: RV } }\n`, {
    'later.yaml': `${referring}env: { AA: lit, BB: { absent: true } }\nsettings: { git.branch: main }\n`,
    'strict.yaml': `${referring}ignore: [settings.*.*.*]\nstrict: [settings]\n`,
  }),
);
test(
  '[11] pull preserves what came from a reference, and without a lock what is called a secret',
  session(
    `${referring}env: { AA: { env: RV }, BB: { env: RV }, CC: lit, API_SECRET: { env: RV } }\nsettings: { git.branch: { env: RV } }\n`,
    { 'later.yaml': `${referring}env: { AA: lit }\nsettings: { git.branch: main }\n`, 'bare.yaml': referring },
  ),
);
test(
  '[8] a lock in a missing folder is refused before a write, and an empty file is no lock',
  session(`${referring}env: { MOTTO: x }\n`, { 'empty.lock': '' }),
);

const edited =
  'version: 1\nstack: shop/production\nenv: { LOG_LEVEL: debug, MOTTO: Read }\nsettings: { git.branch: release }\n';
const later = edited.replace('debug', 'trace').replace('MOTTO: Read', 'MOTTO: { absent: true }');
test(
  '[26] apply sends edits, and overwrites a foreign change with --take file alone',
  session(edited, { 'later.yaml': later }),
);
// One variable: the journal holds those that are sent at once in any order.
test(
  '[23] the first stack that fails stops the rest, unless --keep-going',
  session(
    'version: 1\nstacks: { shop/production: {}, blog/staging: {} }\nenv: { MOTTO: x }\nsettings: { git.branch: rel }\n',
  ),
);
test('[31] an apply is undone as a whole', session(edited.replace('LOG_LEVEL: debug, ', '')));
test('[31] an apply that redeployed is not undone', session(edited));
test(
  '[10] [24] preserve, normalised and hidden values',
  session(
    'version: 1\nstack: shop/production\nenv: { SMTP_PASSWORD: { preserve: true } }\nsettings: { continuous.deploy: "1", git.branch: main }\n',
  ),
);
test(
  '[29] a saved plan holds no value and is applied once',
  session(edited.replace('Read', '{ env: MOTTO }'), {
    'other.yaml': later,
    'torn.plan': 'stackops-plan 1\n{"stacks":{},"items":[null]}\n',
  }),
);
test('[30] a stale plan is refused whole', session(edited));
