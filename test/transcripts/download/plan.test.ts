import { expect, test } from 'vitest';
import { planFiles } from '../../../src/commands/backup/download.ts';

const apart = { joins: false, joinedName: 'backup-7', among: [], platform: 'linux' };
const joined = { ...apart, joins: true };
const files = (...names: string[]) => names.map((name, index) => ({ id: String(index), name }));
const namesOf = (plan: ReturnType<typeof planFiles>) =>
  plan.map(({ name, parts }) => [name, ...parts.map(({ id }) => id)]);

test('each file is one, unless they are joined', () => {
  expect(namesOf(planFiles(files('s.tar-aa', 's.tar-ab'), apart))).toEqual([
    ['s.tar-aa', '0'],
    ['s.tar-ab', '1'],
  ]);
  expect(namesOf(planFiles(files('s.tar-aa', 's.tar-ab'), joined))).toEqual([['s.tar', '0', '1']]);
  expect(namesOf(planFiles(files('s.tar'), joined))).toEqual([['s.tar', '0']]);
});

test('parts are joined in the order of the list, under a name of ours when theirs do not agree', () => {
  expect(namesOf(planFiles(files('s.tar-ab', 's.tar-aa'), joined))).toEqual([['s.tar', '0', '1']]);
  expect(namesOf(planFiles(files('s.tar-aa', 't.tar-ab'), joined))).toEqual([['backup-7', '0', '1']]);
  expect(namesOf(planFiles(files('s.tar', 't.tar'), joined))).toEqual([['backup-7', '0', '1']]);
});

test('a part that is left when its ending is cut off must be a safe name too', () => {
  expect(() => planFiles(files('.ssh-aa', '.ssh-ab'), joined)).toThrow('starts with a dot');
  expect(() => planFiles(files('..', 'x'), joined)).toThrow('is not a file name');
});

test.each([
  ['the same name', ['a/x', 'b/x'], ['x', 'x-2']],
  ['upper and lower case', ['Shop.tar', 'shop.tar', 'SHOP.TAR'], ['Shop.tar', 'shop-2.tar', 'SHOP-3.TAR']],
  ['an accent of its own', ['caf\u00e9.tar', 'cafe\u0301.tar'], ['caf\u00e9.tar', 'cafe\u0301-2.tar']],
  ['two spellings of one letter', ['strasse', 'stra\u00dfe'], ['strasse', 'stra\u00dfe-2']],
  ['dots and blanks at the end', ['x', 'x.', 'x .'], ['x', 'x-2.', 'x-3 .']],
  ['the ending of parts', ['x.tar.part', 'x.tar', 'X.tar.PART.'], ['x.tar.part', 'x-2.tar', 'X-3.tar.PART.']],
  ['a number that is taken', ['x', 'x-2', 'x'], ['x', 'x-2', 'x-3']],
])('two files never become one by %s: the second gets a number', (_, given, names) => {
  const among = files(...given);
  expect(planFiles(among, { ...apart, among }).map(({ name }) => name)).toEqual(names);
});

test('a file has the same name whichever others are wanted, and unsafe ones do not count', () => {
  const among = files('.', 'shop.tar', 'Shop.tar');
  expect(planFiles(among.slice(2), { ...apart, among }).map(({ name }) => name)).toEqual(['Shop-2.tar']);
});
