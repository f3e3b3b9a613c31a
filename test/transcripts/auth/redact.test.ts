import { expect, it } from 'vitest';
import { maskToken } from '../../../src/auth/token.ts';
import { oneLine } from '../../../src/contract/values/text.ts';

it.each([
  ['', '****'],
  ['short', '****'],
  [`${'x'.repeat(15)}abcd`, '****'],
  [`${'x'.repeat(16)}abcd`, '****abcd'],
])('masks %j as %j', (token, masked) => {
  expect(maskToken(token)).toBe(masked);
});

it('makes one line of a text', () => {
  expect(oneLine('  plain\r\n text\u2028 ')).toBe('plain text');
});
