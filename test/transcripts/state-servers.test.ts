import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, type TestContext, test } from 'vitest';
import { replyFormats } from '../../src/sandbox/replies/forms.ts';
import { startSandbox } from '../support/sandbox.ts';
import { run, temporaryFolder } from '../support/stackops.ts';
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
    'two-roles.yaml': `${shop}servers:\n  "@postgresql": { tags: [db] }\n  "@redis": { tags: [cache] }
processes: { worker: { "@postgresql": 1, "@redis": 2 } }\n`,
    'named.yaml': `${shop}servers:\n  "@postgresql": { tags: [db] }\n  "@redis": { tags: [cache] }\n  shop-db-1: { tags: [main] }\n`,
    'twice.yaml': `${shop}servers:\n  shop-db-1: { tags: [main] }\n  "@postgresql": { tags: [db] }\n  "@redis": { tags: [cache] }\n`,
    'stackops.yaml': `${shop}servers:
  "@edge": { tags: [a] }
  shop-web-9: { tags: [a], settings: { no.such: x } }
  shop-web-1: { settings: { no.such: x, agent.version: '1', server.name: other } }
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

test(
  '[31] an apply of servers, tags, counts and variables is undone as a whole',
  session({
    'stackops.yaml': `${shop}env: { LOG_LEVEL: debug }
servers: { shop-web-1: { tags: [eu, prod], settings: { agent.autoupdate: 'false' } } }
processes: { worker: { shop-worker-1: 2 } }
`,
  }),
);

test(
  '[6a] a reference without a value is shown as skipped, and nothing is applied, unless it may be empty',
  session({
    'stackops.yaml': `${shop}env: { FROM_ENV: { env: NOT_SET }, FROM_FILE: { file: none.pem }, FROM_STORE: { secret: 'op://a/b' } }
settings: { git.branch: release }
`,
    'empty.yaml': `${shop}env: { LOG_LEVEL: { env: NOT_SET, allow_empty: true } }\n`,
  }),
);

test('[15] the JSON of plan, drift and diff is valid for the schemas in the package, with 7 and 10 too; each path has its source', async () => {
  const file = join(temporaryFolder(), 'stackops.yaml');
  const own = '{ env: { LOG_LEVEL: debug, NO_REFERENCE: { env: NOT_SET } } }';
  writeFileSync(
    file,
    `version: 1\nstacks:\n  shop/production: ${own}\nsettings: { git.branch: release }\nservers: { "@web": { tags: [a] } }\n`,
  );
  const results: unknown[] = [];
  for (const [words, faults] of [
    [['plan', file], []],
    [['plan', file, '--exit-code'], []],
    [['plan', file], ['GET /stacks/*/settings=503']],
    [['plan', file, '--exit-code'], ['GET /stacks/*/settings=503']],
    [['drift', file, '--exit-code'], []],
    [['diff', 'shop', 'blog/staging', '--exit-code'], []],
    [['plan', file, '-s', 'nope'], []],
  ] as const) {
    const { env } = await startSandbox({ faults: [...faults] });
    const { code, stdout } = await run([...words, '--json'], { env });
    const text = readFileSync(join(import.meta.dirname, `../../schemas/${words[0]}.json`), 'utf8');
    const isValid =
      stdout === '' ? 'empty' : new Ajv2020({ allowUnionTypes: true }).compile(JSON.parse(text))(JSON.parse(stdout));
    results.push([words[0], code, isValid]);
    if (results.length === 1) {
      const changes = JSON.parse(stdout).stacks[0].changes as readonly {
        readonly path: string;
        readonly source: object;
      }[];
      expect(Object.fromEntries(changes.map(({ path, source }) => [path, source]))).toMatchObject({
        'env.LOG_LEVEL': { file, line: 3, stack: 'shop/production' },
        'settings.git.branch': { file, line: 4, stack: null },
        'servers.shop-web-2.tags': { file, line: 5, stack: null },
      });
    }
  }
  expect(results).toEqual([
    ['plan', 0, true],
    ['plan', 10, true],
    ['plan', 7, true],
    ['plan', 10, true],
    ['drift', 10, true],
    ['diff', 10, true],
    ['plan', 3, 'empty'],
  ]);
});

test('[20] two stacks are compared by role, masked, without what is the same; only GET is sent', session({}));

test('[22] writes are sent in the order of their phases: deletions are last', async () => {
  let nowMs = Date.parse('2026-05-04T12:00:00Z');
  const now = () => new Date(nowMs);
  const { env, requests } = await startSandbox({ now });
  const file = join(temporaryFolder(), 'stackops.yaml');
  writeFileSync(
    file,
    `${shop}env: { CURRENCY: { absent: true }, LOG_LEVEL: debug, NEW: x }
processes: { web: { shop-web-1: 1, shop-web-2: 3 }, worker: { "@worker": 5 } }
servers: { "@web": { tags: [a], settings: { agent.autoupdate: 'false' } } }
settings: { git.branch: release }
`,
  );
  const slept = (ms: number) => {
    nowMs += ms;
  };
  const words = ['apply', file, '--take', 'file', '--confirm', 'shop/production'];
  expect(await run(words, { env, now, slept })).toMatchObject({ code: 0 });
  const sent = requests.filter(({ method }) => method !== 'GET');
  const kinds = sent.map(({ method, path, body }) => {
    const kind = /servers\/.*settings|settings|tags|processes|environments/.exec(path)?.[0] ?? path;
    const count = /"server_count":\{"\w+":(\d+)/.exec(body)?.[1] ?? '';
    return `${method} ${kind.replace(/\/.*\//, ' ')} ${count}`.trim();
  });
  expect(kinds).toEqual([
    'PUT settings',
    'PUT servers settings',
    'PUT servers settings',
    expect.stringMatching(/tags/),
    expect.stringMatching(/tags/),
    expect.stringMatching(/^POST processes [35]$/),
    expect.stringMatching(/^POST processes [35]$/),
    expect.stringMatching(/^(PUT|POST) environments$/),
    expect.stringMatching(/^(PUT|POST) environments$/),
    'POST processes 1',
    'DELETE environments',
  ]);
});

test.each(replyFormats)('[13] [28] %s: pull, an edit of every section, apply, and nothing is left', async (replies) => {
  let nowMs = Date.parse('2026-05-04T12:00:00Z');
  const now = () => new Date(nowMs);
  const slept = (ms: number) => {
    nowMs += ms;
  };
  const { env, requests } = await startSandbox({ replies, now });
  const file = join(temporaryFolder(), 'stackops.yaml');
  const play = async (...words: readonly string[]) => {
    const [command = '', ...flags] = words;
    const { code, stdout, stderr } = await run([command, file, ...flags], { env, now, slept });
    return { code, seen: stdout + (code === 0 ? '' : stderr) };
  };
  expect(await play('pull', '-s', 'shop/production', '-y', '-q')).toMatchObject({ code: 0 });
  expect(await play('plan', '--exit-code')).toEqual({ code: 0, seen: '' });
  const edits = [
    ['[ eu, nightly ]', '[ eu, prod ]'],
    ['shop-worker-1: 3', 'shop-worker-1: 4..5'],
    ['git.branch: main', 'git.branch: release'],
    ['LOG_LEVEL: info', 'LOG_LEVEL: debug'],
    ['threshold: 80', 'threshold: 70'],
  ] as const;
  const edited = edits.reduce((text, [from, to]) => text.replace(from, to), readFileSync(file, 'utf8'));
  writeFileSync(file, edited);
  expect(await play('apply', '-y')).toMatchObject({ code: 0 });
  expect(requests.filter(({ method }) => method !== 'GET')).toHaveLength(edits.length);
  expect(await play('plan', '--exit-code')).toEqual({ code: 0, seen: '' });
  expect(await play('drift', '--exit-code')).toEqual({ code: 0, seen: '' });
});
