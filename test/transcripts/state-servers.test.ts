import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'vitest';
import { temporaryFolder } from '../support/stackops.ts';
import { type SessionOptions, transcriptFile } from '../support/transcript.ts';

/** A session in a folder with these files. */
const session =
  (files: Readonly<Record<string, string>>, options: SessionOptions = {}) =>
  (context: TestContext) => {
    const folder = temporaryFolder();
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    return transcriptFile(context, { ...options, folder });
  };

const shop = 'version: 1\nstack: shop/production\n';

test(
  '[4] a role is every server with it; a name wins over a role, a stack over the base; a range is no difference',
  session({
    'stackops.yaml': `version: 1
stacks:
  shop/production:
    servers: { shop-web-2: { tags: [canary], settings: { disk.space.alert.threshold: { unmanaged: true } } } }
    processes: { worker: { shop-worker-1: 1 } }
servers:
  "@web": { tags: [eu, 'role:web'], settings: { disk.space.alert.threshold: 90 } }
  shop-web-1: { settings: { disk.space.alert.threshold: 80 } }
  "@postgresql": { tags: [db] }
  "@redis": { tags: [db] }
processes:
  web: { "@web": 1..3 }
  worker: { "@worker": 3, shop-web-1: { unmanaged: true } }
  scheduler: { "@worker": 2..4 }
`,
  }),
);

test(
  '[4] a missing role, two roles that differ, a missing server and a process without count there are refused',
  session({
    'two-roles.yaml': `${shop}servers:\n  "@postgresql": { tags: [db] }\n  "@redis": { tags: [cache] }\n`,
    'stackops.yaml': `${shop}servers:
  "@edge": { tags: [a] }
  shop-web-9: { tags: [a], settings: { no.such: x } }
  shop-web-1: { settings: { no.such: x, agent.version: '1' } }
processes: { web: { shop-db-1: 1 }, nothing: { "@web": 1 } }
`,
  }),
);

test(
  '[18] all counts are busy while a scale runs, and a setting while it is set, on every server',
  session({
    'stackops.yaml': `${shop}settings: { git.branch: release }
servers: { "@web": { settings: { disk.space.alert.threshold: 90, agent.autoupdate: 'false' } } }
processes: { web: { "@web": 3 } }
`,
  }),
);

test('[20] two stacks are compared by role, masked, without what is the same; only GET is sent', session({}));
