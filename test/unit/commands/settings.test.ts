import { expect, test } from 'vitest';
import { hasRequestedValue } from '../../../src/commands/settings/set.ts';
import { settingId } from '../../../src/resources/setting.ts';

test.each<readonly [string, unknown, string, boolean]>([
  ['the value asked for', 'b', 'b', true],
  ['another', 'a', 'b', false],
  ['a flag, asked for as text', true, 'true', true],
  ['a number, asked for as text', 85, '85', true],
  ['an empty text', '', '', true],
  ['nothing, which no text asks for', null, '', false],
  ['nothing, which no text asks for', undefined, 'null', false],
])('a setting shows %s', (_, value, asked, expected) => {
  expect(hasRequestedValue({ key: 'git.branch', value }, asked)).toBe(expected);
});

test('a setting is addressed by the id of its list, else by its key with dashes', () => {
  expect(settingId({ key: 'git.branch', id: 5 })).toBe('5');
  expect(settingId({ key: 'git.branch', id: 'git-branch' })).toBe('git-branch');
  expect(settingId({ key: 'db.check.backup.size' })).toBe('db-check-backup-size');
  expect(settingId({ key: 'git.branch', id: null })).toBe('git-branch');
  expect(settingId({ key: 'git.branch', id: '' })).toBe('git-branch');
});
