import { expect, test } from 'vitest';
import { patching, replacing } from '../../../src/commands/tags/change.ts';

test('deletions come first, and a patch that was made changes nothing beside tags of others', () => {
  const { after } = patching({ add: ['a', 'b'], delete: ['a', 'old'] });
  expect(after({ before: ['old', 'x', 'a'], reserved: [] })).toEqual(['x', 'a', 'b']);
  const made = { before: ['x', 'b', 'y', 'a'], reserved: [] };
  expect(new Set(after(made))).toEqual(new Set(made.before));
});

test('reserved tags stay when tags are replaced, unless they are asked for', () => {
  const held = { before: ['role', 'x'], reserved: ['role'] };
  expect(replacing(['a']).after(held)).toEqual(['role', 'a']);
  expect(replacing(['a'], true).after(held)).toEqual(['a']);
  expect(replacing([]).after(held)).toEqual(['role']);
});
