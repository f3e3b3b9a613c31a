import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isPattern, matchesPattern } from '../../../src/contract/values/text.ts';
import { property } from '../../support/property.ts';

test.each([
  ['test-*', ['test-web', 'test-'], ['test', 'a-test-web', 'Test-web']],
  ['*-web', ['test-web', '-web'], ['test-web-1']],
  ['web-?', ['web-1', 'web-é', 'web-😀'], ['web-', 'web-10']],
  ['*', ['', 'shop', 'a/b\nc'], []],
  ['sh*/prod*n', ['shop/production', 'sh/prodn'], ['shop/staging', 'shop/products']],
  ['a.c', ['a.c'], ['abc']],
  ['[a]*', ['[a]b'], ['ab']],
])('%s matches whole names', (pattern, matching, others) => {
  for (const name of matching) expect([name, matchesPattern(name, pattern)]).toEqual([name, true]);
  for (const name of others) expect([name, matchesPattern(name, pattern)]).toEqual([name, false]);
});

const letters = (units: string) => fc.string({ unit: fc.constantFrom(...units), maxLength: 12 });

property('a pattern matches as a regular expression does', [letters('ab.😀'), letters('ab.😀*?')], (name, pattern) => {
  const source = [...pattern].map((one) => ({ '*': '.*', '?': '.', '.': '\\.' })[one] ?? one).join('');
  expect(matchesPattern(name, pattern)).toBe(new RegExp(`^${source}$`, 'u').test(name));
});

test('no pattern takes long', () => {
  expect(matchesPattern('a'.repeat(5000), `${'*a'.repeat(100)}*b`)).toBe(false);
});

test('only * and ? make a pattern', () => {
  expect(['test-*', 'web-?', 'shop', 'a[b]', 'shop/production'].map(isPattern)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});
