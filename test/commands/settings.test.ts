import { expect, test } from 'vitest';
import { isSet } from '../../src/commands/settings/set.ts';

test.each<readonly [string, unknown, string, boolean]>([
  ['the value asked for', 'b', 'b', true],
  ['another', 'a', 'b', false],
  ['a flag, asked for as text', true, 'true', true],
  ['a number, asked for as text', 85, '85', true],
  ['an empty text', '', '', true],
  ['nothing, which no text asks for', null, '', false],
  ['nothing, which no text asks for', undefined, 'null', false],
])('a setting shows %s', (_, value, asked, expected) => {
  expect(isSet({ key: 'git.branch', value }, asked)).toBe(expected);
});
