import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'rolldown';
import { parseAst } from 'rolldown/parseAst';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readHelpPages } from '../../scripts/docs/tree.ts';
import { isStandalone, ownEnvironment, runBuilt } from '../support/built.ts';
import { run, temporaryFolder } from '../support/stackops.ts';

const root = join(import.meta.dirname, '../..');
const dist = join(root, 'dist');

test('the program has no native import(), so that an executable made of it runs on Node 20', () => {
  const files = readdirSync(dist).filter((file) => file.endsWith('.cjs'));
  const native = files.flatMap((file) => {
    const code = readFileSync(join(dist, file), 'utf8');
    // A method may have that name, so what has the words is read.
    if (!/\bimport\s*[(/]/.test(code)) return [];
    let count = 0;
    JSON.stringify(parseAst(code, { sourceType: 'script' }), (key, value) => {
      if (key === 'type' && value === 'ImportExpression') count += 1;
      return typeof value === 'bigint' ? undefined : value;
    });
    return count > 0 ? [`${file}: ${count}`] : [];
  });
  expect(native).toEqual([]);
  expect(files).toContain('cli.cjs');
});

test('a warning of the bundler fails the build', async () => {
  const { default: config } = await import(new URL('../../.config/rolldown.mjs', import.meta.url).href);
  const folder = temporaryFolder();
  const entry = join(folder, 'entry.js');
  writeFileSync(entry, "import { a } from './a.js';\nimport('./a.js').then((late) => a(late));\n");
  writeFileSync(join(folder, 'a.js'), 'export const a = (late) => late;\n');
  const output = { ...config.output, dir: join(folder, 'dist') };
  await expect(build({ ...config, input: { cli: entry }, output })).rejects.toThrow(/warning of the bundler: .*a\.js/);
});

describe('help pages', () => {
  beforeEach(({ skip }) => skip(isStandalone, 'a program without Node is one file'));

  const fileOf = (words: string) => `${['stackops', ...words.split(' ').filter(Boolean)].join('.')}.txt`;
  const pageOf = (words: string) => readFileSync(join(dist, 'help', fileOf(words)), 'utf8');

  test('the build writes one for each command and group, and each is what the program prints', async () => {
    const pages = await readHelpPages();
    expect(pages.size).toBeGreaterThan(140);
    expect(readdirSync(join(dist, 'help')).toSorted()).toEqual([...pages.keys()].map(fileOf).toSorted());
    for (const words of pages.keys()) {
      const { stdout } = await run([...words.split(' ').filter(Boolean), '--help']);
      expect(pageOf(words), words).toBe(stdout);
    }
  });

  /** How many files a run loads, and what it prints. */
  async function loadedBy(words: string) {
    const hook = join(temporaryFolder(), 'hook.cjs');
    const count = 'Object.keys(require.cache).filter((file) => file.endsWith(".cjs") && file !== __filename).length';
    writeFileSync(hook, `process.on('exit', () => console.error(${count}));`);
    const env = ownEnvironment({ NODE_OPTIONS: `--require=${hook}` });
    const { stdout, stderr } = await runBuilt(words.split(' ').filter(Boolean), { env });
    return { stdout, files: Number(stderr) };
  }

  test.each(['', '--help', 'stack -h', 'stack env set --help'])('"%s" loads the entry alone', async (words) => {
    const { files, stdout } = await loadedBy(words);
    // Beside it lies what the bundler adds.
    expect(files).toBeLessThanOrEqual(2);
    expect(stdout).toBe(pageOf(words.replace(/ ?(-h|--help)$/, '')));
  });

  test.each([
    ['env set -h', 'stack env set'],
    ['help stack env set', 'stack env set'],
    ['stack env set --help --json', 'stack env set'],
    ['-s shop stack env set --help', 'stack env set'],
    ['stack env set A=1 --help', 'stack env set'],
  ])('"%s" is looked up, and shows the page of "%s"', async (words, page) => {
    const { files, stdout } = await loadedBy(words);
    expect(files).toBeGreaterThan(5);
    expect(stdout).toBe(pageOf(page));
  });
});

describe('built again in another folder', () => {
  const copy = mkdtempSync(join(tmpdir(), 'stackops-test-'));
  afterAll(() => rmSync(copy, { recursive: true, force: true }));

  beforeAll(() => {
    for (const part of ['src', 'scripts', 'skills', '.config', 'completions', 'package.json']) {
      cpSync(join(root, part), join(copy, part), { recursive: true });
    }
    // The order of files on the way to a module is in the names of what is built, so its packages lie where they always do.
    const { components } = JSON.parse(readFileSync(join(dist, 'stackops.cdx.json'), 'utf8'));
    const names = components.map((one: { name: string }) => join('node_modules', one.name));
    // What is compiled into another package has no folder.
    for (const folder of names.filter((name: string) => existsSync(join(root, name)))) {
      cpSync(join(root, folder), join(copy, folder), { recursive: true });
    }
    symlinkSync(join(root, 'node_modules/rolldown'), join(copy, 'node_modules/rolldown'));
    tellModules(join(copy, '.config'));
    execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: copy, stdio: ['ignore', 'ignore', 'inherit'] });
  });

  /** Makes a build write down which modules lie in what it makes. */
  function tellModules(folder: string): void {
    renameSync(join(folder, 'rolldown.mjs'), join(folder, 'own.mjs'));
    const lines = [
      "import { writeFileSync } from 'node:fs';",
      "import config from './own.mjs';",
      "export * from './own.mjs';",
      'const generateBundle = (_, bundle) =>',
      "  writeFileSync('modules.json', JSON.stringify(Object.values(bundle).flatMap((file) => file.moduleIds ?? [])));",
      "export default { ...config, plugins: [...config.plugins, { name: 'told', generateBundle }] };",
    ];
    writeFileSync(join(folder, 'rolldown.mjs'), lines.join('\n'));
  }

  test('the program is the same byte by byte', () => {
    const sums = (folder: string) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.includes('.'))
        .toSorted()
        .map((name) => [
          name,
          createHash('sha256')
            .update(readFileSync(join(folder, name)))
            .digest('hex'),
        ]);
    expect(sums(join(copy, 'dist'))).toEqual(sums(dist));
  });

  test('the licences of all packages that are bundled are in the package, and of no others', () => {
    const bundled: readonly string[] = JSON.parse(readFileSync(join(copy, 'modules.json'), 'utf8'));
    // One package may be there in two versions, the other within the package that needs it.
    const folders = bundled.flatMap((id) => /.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []);
    const names = [...new Set(folders)].toSorted().map((folder) => folder.replace(/.*node_modules\//, ''));
    const text = readFileSync(join(dist, 'third-party-licences.txt'), 'utf8');
    const [schemas = '', jq = '', ...packages] = text.split(/\n-{80}\n\n/).toReversed();
    expect(schemas).toMatch(/^@cfworker\/json-schema [\d.]+, compiled into @modelcontextprotocol\/server\n/);
    expect(jq).toMatch(/^jq [\d.]+, compiled to WebAssembly/);
    expect(packages.map((part) => part.split(' ')[0]).toReversed()).toEqual(names);
    expect(packages.length).toBeGreaterThan(45);
    // Those that others bring along, too.
    expect(names).toEqual(expect.arrayContaining(['ansi-regex', 'string-width', 'strip-ansi']));
    expect(packages.filter((part) => !/\n\n[\s\S]{200}/.test(part))).toEqual([]);
  });
});
