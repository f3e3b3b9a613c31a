import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readDocuments } from '../../scripts/docs/documents.ts';
import { readCoverage } from '../../scripts/docs/tables.ts';
import { readTree } from '../../scripts/docs/tree.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const coverage = await readCoverage();
const documents = await readDocuments(read);

test.each([...documents.keys()])('%s is fresh; if not: npm run docs', (path) => {
  expect(read(path)).toBe(documents.get(path));
});

test.each(['man', 'schemas'])('there are no other files in %s/', (folder) => {
  const files = [...documents.keys()].filter((path) => path.startsWith(`${folder}/`));
  expect(readdirSync(join(root, folder)).map((file) => `${folder}/${file}`)).toEqual(files.toSorted());
});

test('every operation has a command of its own, or a reason why it has none', () => {
  const without = coverage.filter(({ commands, operation }) => commands.length === 0 && !operation.withheld);
  expect(without.map(({ operation }) => `${operation.method} ${operation.path}`)).toEqual([]);
});

test('docs/coverage.md names no command that is none', () => {
  const known = new Set(coverage.flatMap(({ commands }) => commands));
  const named = [...read('docs/coverage.md').matchAll(/^\| `[A-Z]+ \/[^|]*` \| ([^|]*) \|/gm)].flatMap(
    ([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, words = '']) => words),
  );
  expect(named.length).toBeGreaterThan(60);
  expect(named.filter((words) => !known.has(words) && words !== 'api' && words !== 'stack env get')).toEqual([]);
});

test('docs/commands.md names every command with its purpose', async () => {
  const { commands } = await readTree();
  const [, block = ''] = /<!-- commands: ([\s\S]*?)<!-- end of commands -->/.exec(read('docs/commands.md')) ?? [];
  const rows = [...block.matchAll(/^\| `([a-z -]+)` \| (.*) \|$/gm)].map(([, words, about]) => [words, about]);
  expect(rows).toEqual(commands.map(({ name, about }) => [name, about]));
});

test('man pages have the date of the newest release in the changelog', async () => {
  const changelog = '## [Unreleased]\n\n## [1.10.0] - 2027-02-03\n\n## [1.9.0] - 2027-01-31\n';
  const pages = await readDocuments((path) => (path === 'CHANGELOG.md' ? changelog : read(path)));
  expect(pages.get('man/stackops.1')).toContain('\n.Dd February 3, 2027\n');
});
