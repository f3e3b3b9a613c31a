import { expect, test } from 'vitest';
import type { Expression } from '../../../src/state/entry.ts';
import {
  differenceReasonOf,
  digestOf,
  findLockLine,
  lockKey,
  lockText,
  parseLock,
  wasSetSince,
} from '../../../src/state/lock.ts';

const literal = (value: string): Expression => ({ kind: 'literal', value });
const line = (path: string, value: string, changed_at: string | null = '2026-05-04T12:00:00Z') => ({
  stack: 'a b/100%',
  path,
  changed_at,
  count: 2,
  digest: digestOf(literal(value), false),
});
const lockOf = (...lines: ReturnType<typeof line>[]) =>
  lockText(new Map(lines.map((one) => [lockKey(one.stack, one.path), one])));

test('[8] a lock is sorted, and a masked literal has no digest', () => {
  const text = lockText(
    new Map([
      ['s b', { ...line('b', 'x'), stack: 's', digest: digestOf(literal('x'), true) }],
      ['s a', { ...line('a', 'x', null), stack: 's' }],
    ]),
  );
  expect(text).toMatch(/^stackops-lock 1\ns a - 2 \S{16}\ns b 2026-05-04T12:00:00Z 2 -\n$/);
  expect(lockText(parseLock(text, 'x'))).toBe(text);
});

test('[9] after a merge two lines of one path count as none, and others stay', () => {
  const [ours, theirs] = [
    lockOf(line('env.A', '1'), line('env.B', '1')),
    lockOf(line('env.A', '2'), line('env.C', '1')),
  ];
  const merged = `${ours}${theirs.split('\n').slice(1).join('\n')}`;
  const lock = parseLock(merged, 'stackops.lock');
  expect([...lock.keys()].filter((key) => findLockLine(lock, key)).map((key) => lock.get(key)?.path)).toEqual([
    'env.B',
    'env.C',
  ]);
  // A deletion at the service is no edit of the file, also after the lock was written again.
  const key = lockKey('a b/100%', 'env.A');
  expect(
    [lock, parseLock(lockText(lock), 'stackops.lock')].map((one) => [one.has(key), findLockLine(one, key)]),
  ).toEqual([
    [true, undefined],
    [true, undefined],
  ]);
  const torn = merged.replace('\n', '\n<<<<<<< ours\n');
  expect(() => parseLock(torn, 'stackops.lock')).toThrow('stackops.lock:2: a merge conflict is left');
  expect(() => parseLock('stackops-lock 9\n', 'stackops.lock')).toThrow('no lock of this version');
});

const seen = { changed_at: '2026-05-04T12:00:00Z', count: 2 };
const later = { changed_at: '2026-05-04T13:00:00Z', count: 3 };
const known = line('env.A', 'old');
test.each([
  ['edited', known, literal('new'), seen],
  ['drifted', known, literal('old'), later],
  ['both', known, literal('new'), later],
  ['normalised', known, literal('old'), seen],
  ['edited', known, { kind: 'env', from: 'A' } as const, seen],
  ['drifted', known, literal('old'), undefined],
  ['unknown', undefined, literal('old'), seen],
  ['edited', undefined, literal('old'), undefined],
  // A setting of some services has no times.
  ['unknown', { ...known, changed_at: null, count: null }, literal('new'), { changed_at: null, count: null }],
  ['unknown', { ...known, changed_at: null, count: null }, literal('old'), undefined],
  ['edited', { ...known, changed_at: null, count: null }, literal('new'), undefined],
  // A masked literal cannot be compared: without a foreign change it was edited.
  ['edited', { ...known, digest: null }, literal('new'), seen],
  ['unknown', { ...known, digest: null }, literal('new'), later],
] as const)('[10] %s', (why, known, expression, now) => {
  const digest = known?.digest === null ? null : digestOf(expression, false);
  expect(differenceReasonOf({ line: known, expression, digest, signs: now }, true)).toBe(why);
  if (!known) expect(differenceReasonOf({ line: known, expression, digest, signs: now }, false)).toBe('unknown');
});

const untouched = { ...seen, created_at: '2026-05-01T12:00:00Z' };
test.each([
  [false, untouched],
  [false, { ...untouched, changed_at: later.changed_at }],
  [true, { ...untouched, count: 3 }],
  [true, { ...untouched, count: 0, changed_at: later.changed_at }],
  // It was deleted and made anew.
  [true, { ...untouched, count: 1 }],
  [true, { ...untouched, created_at: '2026-05-04T14:00:00+01:59' }],
  [true, { ...untouched, created_at: '2026-05-04T12:30:00Z' }],
] as const)('[10] a preserved value was set since: %s for %o', (wasSet, now) => {
  expect(wasSetSince(known, now)).toBe(wasSet);
});
