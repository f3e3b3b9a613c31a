import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ownEnvironment, preloading, runBuilt } from './support/built.ts';
import { temporaryFolder } from './support/stackops.ts';

/** What is found in the bundle of each library, whatever its file is called: how jq's WebAssembly is found, and YAML's own tags. */
const signs = { jq: 'locateFile', yaml: 'tag:yaml.org,2002:' };

/** The libraries that a run of the built program has read. */
async function readBy(words: string): Promise<readonly string[]> {
  const folder = temporaryFolder();
  const [hook, list] = [join(folder, 'hook.cjs'), join(folder, 'files')];
  writeFileSync(
    hook,
    `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(list)}, Object.keys(require.cache).join('\\n')));`,
  );
  const env = ownEnvironment({ STACKOPS_SANDBOX: '1', STACKOPS_STACK: 'shop', ...preloading(hook) });
  const { code, stderr } = await runBuilt(words.split(' '), { env });
  expect(stderr).not.toContain('error');
  expect(code).toBe(0);
  const files = readFileSync(list, 'utf8').split('\n');
  expect(files.some((file) => file.includes('dist'))).toBe(true);
  const texts = files.map((file) => readFileSync(file, 'utf8'));
  return Object.entries(signs).flatMap(([name, sign]) => (texts.some((text) => text.includes(sign)) ? [name] : []));
}

test.each([
  ['--version', []],
  ['--help', []],
  ['help output', []],
  ['variant list', []],
  ['variant list --json', []],
  ['variant list --output csv', []],
  ['variant list --output ndjson', []],
  ['variant list --output yaml', ['yaml']],
  ['variant list --jq length', ['jq']],
])('%s reads of the large libraries: %j', async (words, libraries) => {
  expect(await readBy(words)).toEqual(libraries);
});

test('help loads none of the larger parts of Node', async () => {
  const hook = join(temporaryFolder(), 'hook.cjs');
  writeFileSync(
    hook,
    `process.on('exit', () => {
      const loaded = ['crypto', 'net', 'stream', 'tty'].filter((name) => process.moduleLoadList.includes('NativeModule ' + name));
      console.error(JSON.stringify(loaded));
    });`,
  );
  const { stderr } = await runBuilt(['stack', 'env', 'set', '--help'], {
    env: ownEnvironment(preloading(hook)),
  });
  expect(stderr).toBe('[]\n');
});
