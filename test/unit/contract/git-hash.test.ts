import { expect, test } from 'vitest';
import { isSameCommit, shortHash } from '../../../src/contract/values/text.ts';

const hash = 'd8b847daf0a06d549f0919d2c59a146e283b8b78';

test.each([
  [hash, hash.toUpperCase(), true],
  [hash, 'D8B847D', true],
  ['d8b847d', hash, true],
  [hash, 'd8b847', false],
  [hash, 'd8b847e', false],
  ['main', 'main', true],
  ['main', 'mainline', false],
  ['', hash, false],
  [null, undefined, false],
])('%s and %s: the same commit: %s', (one, other, isSame) => {
  expect(isSameCommit(one, other)).toBe(isSame);
});

test('a hash in capitals is shortened', () => {
  expect(shortHash(hash.toUpperCase())).toBe('D8B847D');
});
