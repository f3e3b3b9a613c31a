import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { seedMoment, seedState } from '../../src/sandbox/seed/seed.ts';
import {
  type Environment,
  follow,
  isStandalone,
  ownEnvironment,
  preloading,
  program,
  runBuilt,
} from '../support/built.ts';
import { reply, startService } from '../support/service.ts';
import { temporaryFolder } from '../support/stackops.ts';

beforeEach(({ skip }) => skip(isStandalone, 'a program without Node is one file'));

/**
 * What is found in the bundle of each library, whatever its file is called: how jq's WebAssembly is found, and YAML's own
 * tags; and the first line of the lock in what reads stacks as a file.
 */
const signs = { jq: 'locateFile', yaml: 'tag:yaml.org,2002:', state: 'stackops-lock' };

const dist = resolve(import.meta.dirname, '../../dist');
const pagination = { previous: null, next: null, current: 1, pages: 1, per_page: 30 };

/** The files that a run of the built program has read. */
async function filesReadBy(words: string, service: Environment): Promise<readonly string[]> {
  const folder = temporaryFolder();
  const [hook, list] = [join(folder, 'hook.cjs'), join(folder, 'files')];
  writeFileSync(
    hook,
    `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(list)}, Object.keys(require.cache).join('\\n')));`,
  );
  const env = ownEnvironment({ ...service, ...preloading(hook) });
  const { code, stderr } = await runBuilt(words.split(' '), { env });
  expect(stderr).not.toContain('error');
  expect(code).toBe(0);
  const files = readFileSync(list, 'utf8').split('\n');
  expect(files.some((file) => file.includes('dist'))).toBe(true);
  return files;
}

async function librariesReadBy(words: string): Promise<readonly string[]> {
  const texts = (await filesReadBy(words, { STACKOPS_SANDBOX: '1', STACKOPS_STACK: 'shop' })).map((file) =>
    readFileSync(file, 'utf8'),
  );
  return Object.entries(signs).flatMap(([name, sign]) => (texts.some((text) => text.includes(sign)) ? [name] : []));
}

test.each([
  ['--version', []],
  ['--help', []],
  // A topic reads the declarations of all commands.
  ['help output', ['state']],
  ['variant list', []],
  ['stack env list', []],
  ['server list', []],
  ['variant list --json', []],
  ['variant list --output csv', []],
  ['variant list --output ndjson', []],
  ['variant list --output yaml', ['yaml']],
  ['variant list --jq length', ['jq']],
])('%s reads of the large libraries: %j', async (words, libraries) => {
  expect(await librariesReadBy(words)).toEqual(libraries);
});

test('a page of help reads no table of the words of other tools', async () => {
  const files = (await filesReadBy('stack env --help', {})).map((file) => readFileSync(file, 'utf8'));
  expect(files.filter((text) => text.includes('journalctl'))).toEqual([]);
});

test.each([
  ['variant list', []],
  ['commands', ['reads from the service', 'json-schema.org']],
])('%s reads of effects and schemas: %j', async (words, read) => {
  const env = { STACKOPS_SANDBOX: '1', STACKOPS_STACK: 'shop' };
  const texts = (await filesReadBy(words, env)).map((file) => readFileSync(file, 'utf8'));
  const signs = ['reads from the service', 'json-schema.org'];
  expect(signs.filter((sign) => texts.some((text) => text.includes(sign)))).toEqual(read);
});

/** Which of these parts of Node a run of the built program has loaded at its end. */
async function partsLoadedBy(words: string, parts: readonly string[], service: Environment = {}): Promise<unknown> {
  const hook = join(temporaryFolder(), 'hook.cjs');
  writeFileSync(
    hook,
    `process.on('exit', () => {
      const loaded = ${JSON.stringify(parts)}.filter((name) => process.moduleLoadList.includes('NativeModule ' + name));
      console.error(JSON.stringify(loaded));
    });`,
  );
  const { stderr } = await runBuilt(words.split(' '), { env: ownEnvironment({ ...service, ...preloading(hook) }) });
  return JSON.parse(stderr);
}

describe.each(['--version', 'stack env set --help'])('%s', (words) => {
  test('loads none of the larger parts of Node', async () => {
    expect(await partsLoadedBy(words, ['crypto', 'module', 'net', 'stream', 'tty'])).toEqual([]);
  });

  test('reads one file of the build', async () => {
    const files = await filesReadBy(words, {});
    expect(files.filter((file) => file.startsWith(dist)).map((file) => basename(file))).toEqual(['cli.cjs']);
  });
});

test('what draws a table brings no widths of characters and no colours of its own', () => {
  const texts = readdirSync(dist)
    .filter((name) => name.endsWith('.cjs'))
    .map((name) => readFileSync(join(dist, name), 'utf8'));
  const drawing = texts.filter((text) => text.includes('colSpan'));
  expect(drawing.map(({ length }) => length < 15_000)).toEqual([true]);
});

describe('a list of 30 rows', () => {
  const listing = async () => {
    const [stack] = seedState(seedMoment).stacks;
    const rows = Array.from({ length: 30 }, () => stack?.row);
    const service = await startService((_, response) => reply(response, { response: rows, count: 30, pagination }));
    return { STACKOPS_BASE_URL: service.url };
  };

  test('loads nothing of Node that it does not need', async () => {
    const parts = ['child_process', 'crypto', 'dns', 'http', 'https', 'perf_hooks', 'readline', 'tls', 'zlib'];
    expect(await partsLoadedBy('stack list', parts, await listing())).toEqual([]);
  });

  test('reads at most 370 kB of the program', async () => {
    const sizes = (await filesReadBy('stack list', await listing())).map((file) => statSync(file).size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(370_000);
  });

  test('calls no function by name that V8 has to read twice, but for a few', async () => {
    const hook = join(temporaryFolder(), 'hook.cjs');
    writeFileSync(
      hook,
      `const session = new (require('node:inspector').Session)();
      session.connect();
      session.post('Profiler.enable');
      session.post('Profiler.startPreciseCoverage', { callCount: false, detailed: false });
      process.on('exit', () => session.post('Profiler.takePreciseCoverage', (_, { result }) => {
        const begins = result.filter(({ url }) => url.includes('/dist/')).flatMap(({ url, functions }) => {
          const code = '.' + require('node:fs').readFileSync(new URL(url), 'utf8');
          const called = functions.map(({ ranges }) => ranges[0]).filter(({ count }) => count > 0);
          return called.map(({ startOffset }) => code.slice(startOffset, startOffset + 16));
        });
        console.error(JSON.stringify(begins));
      }));`,
    );
    const { stderr } = await runBuilt(['stack', 'list'], {
      env: ownEnvironment({ ...(await listing()), ...preloading(hook) }),
    });
    const begins: readonly string[] = JSON.parse(stderr);
    const atOnce = begins.filter((begin) => /^\((async )?function/.test(begin));
    const late = begins.filter((begin) => /^[^(](async )?function/.test(begin));
    expect(atOnce.length).toBeGreaterThan(8 * late.length);
  });

  test('is over before V8 optimizes a function', async () => {
    const env = ownEnvironment(await listing());
    const { stdout } = await follow([process.execPath, '--trace-opt', ...program.slice(1), 'stack', 'list'], { env })
      .ended;
    expect(stdout.split('\n').filter((line) => line.includes('\tproduction\t'))).toHaveLength(30);
    expect(stdout).not.toContain('target TURBOFAN');
  });
});
