import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { engines, scripts } from '../../package.json';
import { packed } from '../support/packaging.ts';
import { fileNameOf } from '../support/transcript.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly strategy?: {
    readonly matrix: { readonly node?: readonly (number | string)[]; readonly system?: readonly string[] };
  };
  readonly container: string;
  readonly steps: readonly Step[];
}

interface Step {
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly run?: string;
}

describe('the workflow of CI', () => {
  const { jobs }: Workflow = parse(read('.github/workflows/ci.yml'));
  const floor = engines.node.replace('>=', '');
  const runsOf = (job?: Job) => job?.steps.flatMap(({ run }) => run ?? []);

  test('runs .ci/run on the oldest Node of engines and the newest of every line with long-term support', () => {
    const { check } = jobs;
    expect(runsOf(check)).toEqual(['bash .ci/run']);
    expect(check?.container).toMatch(/^node:\$\{\{ matrix\.node \}\}-/);
    expect(check?.strategy?.matrix.node).toEqual([floor, 20, 22, 24, 26]);
  });

  test('runs the program on macOS and Windows, too', () => {
    const { systems } = jobs;
    expect(runsOf(systems)).toEqual(['bash .ci/systems']);
    expect(systems?.strategy?.matrix.system).toEqual(['macos-latest', 'windows-latest']);
  });
});

describe.each(readdirSync(join(root, '.github/workflows')))('the workflow %s', (name) => {
  const text = read(`.github/workflows/${name}`);
  const { permissions, jobs }: Workflow = parse(text);
  const steps = Object.values(jobs).flatMap((job) => job.steps);

  test('uses actions by the hash of a commit, and says which version that is', () => {
    const uses = text.match(/^.*\buses: .*$/gm) ?? [];
    expect(uses.filter((line) => !/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
    expect(uses.length).toBeGreaterThan(0);
  });

  test('keeps no credentials in the checkout, and puts no expression into a script', () => {
    const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
    expect(checkouts.map((step) => step.with?.['persist-credentials'])).toEqual(checkouts.map(() => false));
    expect(steps.filter(({ run }) => run?.includes('${{'))).toEqual([]);
  });

  test('may do no more than it needs', () => {
    const writes = Object.entries(jobs).flatMap(([job, { permissions: own = {} }]) =>
      Object.entries(own).flatMap(([right, value]) => (value === 'write' ? [`${job}: ${right}`] : [])),
    );
    expect(Object.values(permissions).filter((value) => value !== 'read')).toEqual([]);
    const release = ['attest: id-token', 'attest: attestations', 'npm: id-token', 'github: contents'];
    expect(writes).toEqual(name === 'release.yml' ? release : []);
  });
});

test('src/README.md names only files and folders that exist, in at most 140 lines', () => {
  const text = read('src/README.md');
  const named = [...text.matchAll(/`((?:[\w-]+\/)*(?:[\w-]+\/|[\w.-]+\.(?:ts|mjs)))`/g)].map(([, path = '']) => path);
  const [, tree = ''] = /```\n([\s\S]*?)```/.exec(text) ?? [];
  const folders: string[] = [];
  for (const [, indent = '', path = ''] of tree.matchAll(/^( *)([\w-]+(?:\/|\.ts))/gm)) {
    folders.push(join(indent === '' ? '' : (folders.findLast((one) => !one.slice(0, -1).includes('/')) ?? ''), path));
  }
  expect(folders.length).toBeGreaterThan(30);
  const isThere = (path: string) => ['src', '.'].some((folder) => existsSync(join(root, folder, path)));
  expect([...named, ...folders].filter((path) => !isThere(path))).toEqual([]);
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(140);
});

test('no script of a package is run by npm', () => {
  expect(read('.npmrc')).toMatch(/^ignore-scripts=true$/m);
  // Such a script would not run, either.
  expect(Object.keys(scripts).filter((name) => /^(pre|post)|^(install|prepare)$/.test(name))).toEqual([]);
});

describe.each(['CONTRIBUTING.md', 'SECURITY.md', 'docs/releasing.md', '.github/pull_request_template.md'])(
  '%s',
  (file) => {
    const text = read(file);

    test('names only files that exist', () => {
      const linked = [...text.matchAll(/\]\(([^)#]+)\)/g)].map(([, path = '']) => join(dirname(file), path));
      const named = [...text.matchAll(/`((?:src|test|docs|\.github)\/[^` ]+)`/g)].map(([, path = '']) => path);
      const paths = [...linked, ...named];
      expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    });

    test('names only scripts of package.json', () => {
      const names = [...text.matchAll(/npm run ([a-z]+(?::[a-z]+)?)/g)].map(([, name = '']) => name);
      expect(names.filter((name) => !(name in scripts))).toEqual([]);
    });
  },
);

test('the README says in 25 lines how to install', () => {
  const [, section = ''] = /^(## Install\n[\s\S]*?)^## /m.exec(read('README.md')) ?? [];
  expect(section).toMatch(/\.deb\n.*npm install -g /);
  expect(section.trimEnd().split('\n').length).toBeLessThanOrEqual(25);
});

test('SECURITY.md names a test for each promise', () => {
  const rows =
    read('SECURITY.md')
      .match(/^\| .+ \|$/gm)
      ?.slice(1) ?? [];
  expect(rows.length).toBeGreaterThan(10);
  expect(rows.filter((row) => !/ \| `test\/\S+\.test\.ts`(, `test\/\S+\.test\.ts`)* \|$/.test(row))).toEqual([]);
});

test('every transcript in a file is named after one test', () => {
  const files = readdirSync(join(root, 'test/transcripts'), { recursive: true, encoding: 'utf8' });
  const named = files
    .filter((file) => file.endsWith('.test.ts'))
    .flatMap((file) =>
      [
        ...read(`test/transcripts/${file}`).matchAll(/^(?:test|it)(?:\.for\(\[.*\] as const\))?\(\s*(['"])(.+?)\1,/gm),
      ].map(([, , name = '']) => join(file.replace(/\.test\.ts$/, ''), fileNameOf(name))),
    );
  const own = files.filter((file) => file.endsWith('.txt') && !files.includes(file.replace(/txt$/, 'test.ts')));
  expect(own.filter((file) => named.filter((one) => one === file).length !== 1)).toEqual([]);
});

test('a file of the package links to files of the package only', async () => {
  const { tarball } = await packed();
  const listed = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).trimEnd().split('\n');
  const files = new Set(listed.map((path) => path.replace(/^package\//, '')));
  const pages = [...files].filter((path) => /\.md$|^man\//.test(path));
  expect(pages).toEqual(expect.arrayContaining(['README.md', 'docs/security.md', 'man/stackops.1']));
  const broken = pages.flatMap((page) =>
    linksOf(read(page)).flatMap((link) => {
      const path = normalize(join(dirname(page), link));
      return files.has(path) ? [] : [`${page}: ${link}`];
    }),
  );
  expect(broken).toEqual([]);
});

/** Relative links of Markdown, of HTML in it and of man pages. */
function linksOf(text: string): readonly string[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '');
  const patterns = [/\]\(\s*<?([^)\s>]+)/g, /^\[[^\]]+\]:\s*(\S+)/gm, /\b(?:href|src)="([^"]+)"/g, /^\.Lk (\S+)/gm];
  const links = patterns.flatMap((pattern) =>
    [...prose.matchAll(pattern)].map(([, link = '']) => link.split('#')[0] ?? ''),
  );
  return links.filter((link) => link !== '' && !/^[a-z][a-z\d+.-]*:/i.test(link));
}
