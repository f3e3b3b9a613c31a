import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Folder of src to the folders it may import besides itself; `types of` allows `import type` only. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  errors: ['types of contract'],
  fields: ['contract', 'errors'],
  json: ['contract', 'errors'],
  files: ['contract', 'errors'],
  programs: ['contract', 'errors', 'files'],
  resources: ['contract'],
  http: ['contract', 'errors', 'json'],
  settings: ['contract', 'errors', 'fields', 'files'],
  auth: ['contract', 'errors', 'fields', 'files', 'settings'],
  output: ['contract', 'errors', 'json'],
  'env-file': ['contract', 'errors', 'json'],
  sandbox: ['contract', 'resources', 'files', 'errors'],
  writes: ['contract', 'resources', 'errors', 'files', 'http', 'types of cli'],
  targets: ['contract', 'builders', 'resources', 'errors'],
  builders: ['contract', 'resources', 'errors'],
  completion: ['contract', 'resources', 'errors', 'settings', 'files', 'output', 'cli'],
  state: ['contract', 'errors', 'files', 'resources'],
  commands: [
    'contract',
    'fields',
    'json',
    'resources',
    'errors',
    'builders',
    'auth',
    'settings',
    'sandbox',
    'files',
    'programs',
    'targets',
    'writes',
    'completion',
    'env-file',
    'state',
  ],
  mcp: ['contract', 'errors', 'json', 'programs', 'cli'],
  cli: ['contract', 'fields', 'builders', 'output', 'errors', 'settings', 'types of sandbox'],
};
/** The only files that meet the real process. */
const entries = ['launcher.ts', 'main.ts'];
/** These compose the program: they may import everything, and no other folder imports them. */
const composes = (file: string) => entries.includes(file) || file.startsWith('app/');

/** Each package is imported by one folder only; so are the disk and the process. */
const importers: Readonly<Record<string, RegExp>> = {
  commander: /^cli\//,
  undici: /^http\/transport\//,
  'lossless-json': /^json\//,
  chalk: /^output\//,
  'cli-table3': /^output\//,
  'jq-wasm': /^output\/formats\/jq\.ts$/,
  ora: /^output\//,
  yaml: /^(output\/formats\/yaml-text|env-file\/yaml|state\/file\/.*)\.ts$/,
  conf: /^files\//,
  open: /^app\/login\.ts$/,
  '@modelcontextprotocol/server': /^mcp\//,
  // A program is looked for in the folders of PATH.
  'node:fs': /^(files\/|programs\/start\.ts$)/,
  'node:child_process': /^programs\//,
  'node:fs/promises': /^files\//,
  // Signal numbers, for the exit code of a program that was run.
  'node:os': /^(files\/|programs\/start\.ts$)/,
  'node:process': /^files\/identity\.ts$/,
  // Outside of src: the scripts of the shells and the skill, which are taken as texts.
  '..': /^(completion\/scripts|mcp\/server)\.ts$/,
};
/** Dear at start-up, so loaded at the moment of use; the transport, which imports undici, is loaded late as a whole. */
const heavy = ['chalk', 'cli-table3', 'conf', 'jq-wasm', 'lossless-json', 'open', 'ora', 'yaml'];
/** Folders that are pure: not even `node:`. */
const pure = ['contract', 'errors', 'resources', 'json'];

interface Import {
  readonly file: string;
  /** A path below src, or the name of a package. */
  readonly target: string;
  readonly how: 'type' | 'value' | 'dynamic';
}

const src = resolve(import.meta.dirname, '../../src');
const texts = new Map(
  readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => [file.replaceAll('\\', '/'), readFileSync(join(src, file), 'utf8')] as const),
);
const files = [...texts.keys()];
const imports = [...texts].flatMap(([file, text]) => importsOf(file, text));
const inside = imports.filter(({ target }) => texts.has(target));
const packages = imports.filter(({ target }) => !/[.](ts|json|txt)$/.test(target));

function importsOf(file: string, text: string): readonly Import[] {
  const fixed = [...text.matchAll(/^(?:import|export)\s(?:(type)\s)?(?:[^'";]*?\sfrom\s)?'([^']+)'/gm)];
  const late = [...text.matchAll(/\bimport\(\s*'([^']+)'\s*\)/g)];
  return [
    ...fixed.map(([, type, from = '']): Import => ({ file, target: placed(file, from), how: type ? 'type' : 'value' })),
    ...late.map(([, from = '']): Import => ({ file, target: placed(file, from), how: 'dynamic' })),
  ];
}

function placed(file: string, from: string): string {
  return from.startsWith('.') ? relative(src, resolve(src, file, '..', from)).replaceAll('\\', '/') : from;
}

function folderOf(file: string): string {
  return file.split('/')[0] ?? '';
}

function allowed({ file, target, how }: Import): boolean {
  const [from, to] = [folderOf(file), folderOf(target)];
  const list = mayImport[from] ?? [];
  return composes(file) || from === to || list.includes(to) || (how === 'type' && list.includes(`types of ${to}`));
}

function packageOf(target: string): string {
  return target.startsWith('node:')
    ? target
    : target
        .split('/')
        .slice(0, target.startsWith('@') ? 2 : 1)
        .join('/');
}

/** Code without comments and text, good enough to look for a word; the linter looks again with scopes. */
function codeOf(text: string): string {
  return text.replace(
    /\/\*[\s\S]*?\*\/|\/\/.*|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|\/(?:\\.|[^/\\\n])+\/[dgimsuvy]*/g,
    "''",
  );
}

function findCycle(file: string, path: readonly string[], done: Set<string>): readonly string[] | undefined {
  if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
  if (done.has(file)) return undefined;
  for (const { target } of inside.filter((one) => one.file === file)) {
    const cycle = findCycle(target, [...path, file], done);
    if (cycle) return cycle;
  }
  done.add(file);
  return undefined;
}

const shown = (list: readonly Import[]) => list.map(({ file, target, how }) => `${file} → ${target} (${how})`);

describe('architecture', () => {
  it('has only the folders of the table, and the files that put them together', () => {
    expect(files.filter((file) => !(folderOf(file) in mayImport || composes(file)))).toEqual([]);
  });

  it('imports along the table', () => {
    expect(shown(inside.filter((one) => !allowed(one)))).toEqual([]);
  });

  it('imports each package in one folder only', () => {
    const wrong = packages.filter(({ file, target }) => {
      const importer = importers[packageOf(target)];
      return importer ? !(importer.test(file) || composes(file)) : !target.startsWith('node:');
    });
    expect(shown(wrong)).toEqual([]);
  });

  it('loads heavy packages late', () => {
    expect(shown(packages.filter(({ target, how }) => how === 'value' && heavy.includes(packageOf(target))))).toEqual(
      [],
    );
    expect(
      shown(
        inside.filter(
          ({ file, target, how }) =>
            how === 'value' && target === 'http/transport/transport.ts' && !importers['undici']?.test(file),
        ),
      ),
    ).toEqual([]);
  });

  it('keeps the language, the catalogue and the JSON reader free of Node', () => {
    const wrong = packages.filter(({ file, target }) => pure.includes(folderOf(file)) && target.startsWith('node:'));
    expect(shown(wrong)).toEqual([]);
  });

  it('has no cycles', () => {
    const done = new Set<string>();
    expect(files.map((file) => findCycle(file, [], done)).find(Boolean)).toBeUndefined();
  });

  it('imports every file somewhere, but main.ts only from the launcher', () => {
    const known = new Set(inside.map(({ target }) => target));
    const roots = /^launcher\.ts$|\.d\.ts$/;
    expect(files.filter((file) => !(known.has(file) || roots.test(file)))).toEqual([]);
    expect(shown(inside.filter(({ file, target }) => entries.includes(target) && file !== 'launcher.ts'))).toEqual([]);
  });

  it('names every relative import as a file', () => {
    const relatives = imports.filter(({ target }) => target.endsWith('.ts') || target.endsWith('.json'));
    expect(shown(relatives.filter(({ target }) => !existsSync(join(src, target))))).toEqual([]);
  });

  it('mentions process in the entries alone and console in one place', () => {
    const mentions = (word: RegExp) => files.filter((file) => word.test(codeOf(texts.get(file) ?? '')));
    expect(mentions(/\bprocess\b/).filter((file) => !entries.includes(file))).toEqual([]);
    // It hushes an engine that would talk there.
    expect(mentions(/\bconsole\b/)).toEqual(['output/formats/jq.ts']);
  });

  it('measures time by a clock that nobody can set', () => {
    const mentions = (word: RegExp) => files.filter((file) => word.test(codeOf(texts.get(file) ?? '')));
    // The age of a file is known by the clock of the machine alone; a served sandbox has a clock of its own.
    expect(mentions(/\bDate\.now\b|new Date\(\)/).toSorted()).toEqual([
      'files/lock.ts',
      'main.ts',
      'sandbox/server/server.ts',
    ]);
    expect(mentions(/\b(performance\.now|hrtime|uptime)\b/).filter((file) => !file.startsWith('files/'))).toEqual([
      'main.ts',
    ]);
  });

  it('lets texts reach people through the gate alone', () => {
    const cleaners = inside.filter(({ target }) => target === 'output/safe/safe-text.ts').map(({ file }) => file);
    // Cells are laid out as they are seen; what a shell completes is no line of ours.
    expect(cleaners.toSorted()).toEqual([
      'app/completion-names.ts',
      'output/safe/create-output.ts',
      'output/table/cell.ts',
    ]);
    const holding = (word: RegExp) => files.filter((file) => word.test(codeOf(texts.get(file) ?? '')));
    expect(holding(/\bRawStream\b/).toSorted()).toEqual([
      'app/streams.ts',
      'cli/host.ts',
      'output/safe/create-output.ts',
    ]);
    // ora draws on the stream itself, with labels that the gate made.
    expect(holding(/\b(err|out|stream)\.raw\b/).toSorted()).toEqual([
      'output/progress.ts',
      'output/safe/create-output.ts',
    ]);
  });

  it('has no default exports and no barrels', () => {
    const wrong = /^export (default\b|\*|(type )?\{[^}]*\} from\b)/m;
    expect(files.filter((file) => wrong.test(texts.get(file) ?? ''))).toEqual([]);
  });

  it('names files for what they hold', () => {
    const wrong = /(^|[/-])(utils?|helpers?|common|misc|types?|lib)\.ts$|[A-Z_]/;
    expect(files.filter((file) => wrong.test(file))).toEqual([]);
  });

  it('has every property test run by `property` and `slowProperty`, which pin the seed', () => {
    const folder = resolve(import.meta.dirname, '..');
    const wrong = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((file) => file.replaceAll('\\', '/'))
      .filter((file) => file.endsWith('.ts') && file !== 'support/property.ts')
      .filter((file) => /\bfc\.(assert|check|sample|configureGlobal)\(/.test(readFileSync(join(folder, file), 'utf8')));
    expect(wrong).toEqual([]);
  });
});
