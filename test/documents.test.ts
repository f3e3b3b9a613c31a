import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { coverageTable, readCoverage, withCoverage } from '../src/docs/coverage.ts';

const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
const coverage = await readCoverage();

test('the table of operations in README.md is fresh; if not: npm run docs', () => {
  expect(readme).toBe(withCoverage(readme, coverageTable(coverage)));
});

test('every operation has a command of its own, or a reason why it has none', () => {
  const without = coverage.filter(({ words, operation }) => words.length === 0 && !operation.withheld);
  expect(without.map(({ operation }) => `${operation.method} ${operation.path}`)).toEqual([]);
});

test('the README names no command that is none', () => {
  const known = new Set(coverage.flatMap(({ words }) => words));
  const named = [...readme.matchAll(/^\| `[A-Z]+ \/[^|]*` \| ([^|]*) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, words = '']) => words),
  );
  expect(named.length).toBeGreaterThan(60);
  expect(named.filter((words) => !known.has(words) && words !== 'api' && words !== 'stack env get')).toEqual([]);
});
