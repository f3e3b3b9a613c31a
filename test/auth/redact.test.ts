import { expect, it } from 'vitest';
import { maskToken, plainLine } from '../../src/auth/redact.ts';

it.each([
  ['', '****'],
  ['short', '****'],
  [`${'x'.repeat(15)}abcd`, '****'],
  [`${'x'.repeat(16)}abcd`, '****abcd'],
])('masks %j as %j', (token, masked) => {
  expect(maskToken(token)).toBe(masked);
});

it.each([
  ['  plain  text ', 'plain text'],
  ['a\r\nb\u001b[31mc\u0085d\u202ee\u2028f', 'a b [31mc d e f'],
  ['x'.repeat(300), 'x'.repeat(200)],
])('flattens %j', (text, line) => {
  expect(plainLine(text)).toBe(line);
});
