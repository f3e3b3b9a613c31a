import { expect, test } from 'vitest';
import { planFiles } from '../../src/download/plan.ts';

const apart = { joins: false, joinedName: 'backup-7' };
const joined = { joins: true, joinedName: 'backup-7' };
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
  expect(() => planFiles(files('.ssh-aa', '.ssh-ab'), joined)).toThrow('which other programs would trust');
  expect(() => planFiles(files('..', 'x'), joined)).toThrow('which is no name for a file');
});

test('two files never become one by their names', () => {
  const message = 'two files of the backup would be called "x"; name one of them';
  expect(() => planFiles(files('a/x', 'b/x'), apart)).toThrow(message);
});
