import { expect, test } from 'vitest';
import { createPatchStrategy, createReplaceStrategy } from '../../../src/commands/tags/change.ts';

test('deletions come first, and a patch that was made changes nothing beside tags of others', () => {
  const { after } = createPatchStrategy({ add: ['a', 'b'], delete: ['a', 'old'] });
  expect(after({ before: ['old', 'x', 'a'], reserved: [] })).toEqual(['x', 'a', 'b']);
  const made = { before: ['x', 'b', 'y', 'a'], reserved: [] };
  expect(new Set(after(made))).toEqual(new Set(made.before));
});

test('reserved tags stay when tags are replaced, unless they are asked for', () => {
  const held = { before: ['role', 'x'], reserved: ['role'] };
  expect(createReplaceStrategy(['a']).after(held)).toEqual(['role', 'a']);
  expect(createReplaceStrategy(['a'], true).after(held)).toEqual(['a']);
  expect(createReplaceStrategy([]).after(held)).toEqual(['role']);
});
