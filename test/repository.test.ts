import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { engines, scripts } from '../package.json';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

interface Job {
  readonly strategy?: { readonly matrix: { readonly node: readonly (number | string)[] } };
  readonly container: string;
  readonly steps: readonly { readonly run?: string }[];
}

describe('the workflow of CI', () => {
  const { jobs }: { readonly jobs: Readonly<Record<string, Job>> } = parse(read('.github/workflows/ci.yml'));
  const floor = engines.node.replace('>=', '');
  const runsOf = (job?: Job) => job?.steps.flatMap(({ run }) => run ?? []);

  test('runs .ci/run on the oldest Node of engines and the newest of every line with long-term support', () => {
    const { check } = jobs;
    expect(runsOf(check)).toEqual(['bash .ci/run']);
    expect(check?.container).toMatch(/^node:\$\{\{ matrix\.node \}\}-/);
    expect(check?.strategy?.matrix.node).toEqual([floor, 20, 22, 24, 26]);
  });
});

describe.each(['CONTRIBUTING.md', 'SECURITY.md', 'docs/releasing.md', '.github/pull_request_template.md'])(
  '%s',
  (file) => {
    const text = read(file);

    test('names only files that exist', () => {
      const linked = [...text.matchAll(/\]\(([^)#]+)\)/g)];
      const named = [...text.matchAll(/`((?:src|test|docs)\/[^` ]+)`/g)];
      const paths = [...linked, ...named].map(([, path = '']) => path);
      expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    });

    test('names only scripts of package.json', () => {
      const names = [...text.matchAll(/npm run ([a-z]+(?::[a-z]+)?)/g)].map(([, name = '']) => name);
      expect(names.filter((name) => !(name in scripts))).toEqual([]);
    });
  },
);

test('SECURITY.md names a test for each promise', () => {
  const rows =
    read('SECURITY.md')
      .match(/^\| .+ \|$/gm)
      ?.slice(1) ?? [];
  expect(rows.length).toBeGreaterThan(10);
  expect(rows.filter((row) => !/ \| `test\/\S+\.test\.ts`(, `test\/\S+\.test\.ts`)* \|$/.test(row))).toEqual([]);
});

test('a file of the package links to files of the package only', () => {
  const words = ['pack', '--dry-run', '--json', '--ignore-scripts', '--offline'];
  const [pack] = JSON.parse(
    execFileSync('npm', words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  );
  const packed = new Set((pack.files as readonly { path: string }[]).map(({ path }) => path));
  const pages = [...packed].filter((path) => /\.md$|^man\//.test(path));
  expect(pages).toEqual(expect.arrayContaining(['README.md', 'docs/security.md', 'man/stackops.1']));
  const broken = pages.flatMap((page) =>
    linksOf(read(page)).flatMap((link) => {
      const path = normalize(join(dirname(page), link));
      return packed.has(path) ? [] : [`${page}: ${link}`];
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
