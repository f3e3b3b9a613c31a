import { describe, expect, test } from 'vitest';
import { isSameValue } from '../../../src/builders/execute/send.ts';
import { readBodyFields } from '../../../src/commands/api/body-fields.ts';
import { currentCounts, readScaleArguments, scaledCount, scalePayload } from '../../../src/commands/process/scale.ts';

describe('arguments of process scale', () => {
  test.each([
    ['worker=3', { name: 'worker', sign: '=', number: 3 }],
    ['worker=0', { name: 'worker', sign: '=', number: 0 }],
    ['worker=+1', { name: 'worker', sign: '+', number: 1 }],
    ['worker=-12', { name: 'worker', sign: '-', number: 12 }],
    ['web-1=3', { name: 'web-1', sign: '=', number: 3 }],
    ['web-1=-1', { name: 'web-1', sign: '-', number: 1 }],
    ['a+b=+2', { name: 'a+b', sign: '+', number: 2 }],
  ])('%s', (word, read) => {
    expect(readScaleArguments([word])).toEqual([read]);
  });

  test.each([
    ['worker', 'give NAME=N, NAME=+N or NAME=-N, not "worker"'],
    ['=3', 'give NAME=N, NAME=+N or NAME=-N, not "=3"'],
    ['worker-1', 'give NAME=N, NAME=+N or NAME=-N, not "worker-1"'],
    ['web-1', 'give NAME=N, NAME=+N or NAME=-N, not "web-1"'],
    ['worker=--1', 'give NAME=N, NAME=+N or NAME=-N, not "worker=--1"'],
    ['a=b=1', 'give NAME=N, NAME=+N or NAME=-N, not "a=b=1"'],
    ['worker=', 'the count in "worker=" must be a whole number up to 9999'],
    ['worker=1.5', 'the count in "worker=1.5" must be a whole number up to 9999'],
    ['worker=10000', 'the count in "worker=10000" must be a whole number up to 9999'],
    ['web=db', 'the count in "web=db" must be a whole number up to 9999'],
  ])('%s is refused', (word, message) => {
    expect(() => readScaleArguments([word])).toThrow(message);
  });

  test('one process twice is refused', () => {
    expect(() => readScaleArguments(['a=1', 'b=1', 'a=+1'])).toThrow('process "a" is given twice');
  });

  test('counts stop at 0', () => {
    const [word] = readScaleArguments(['worker=-3']);
    expect([5, 3, 2, 0].map((before) => word && scaledCount(before, word))).toEqual([2, 0, 0, 0]);
  });
});

describe('counts that are shown', () => {
  const asked = { 'web-1': 2, 'web-2': 0 };
  const scaling = { name: 'web', uids: { 'web-1': 'u1', 'web-2': 'u2' } };
  const row = { name: 'web', command: '', md5: '' };

  test.each([
    ['those asked for, 0 where none is shown', { 'web-1': 2 }, true],
    ['those asked for, beside others', { 'web-1': 2, 'web-2': 0, 'web-3': 7 }, true],
    ['those asked for, by UID', { u1: 2, u2: 0 }, true],
    ['others', { 'web-1': 1 }, false],
  ])('%s', (_, servers, expected) => {
    const now = currentCounts([{ ...row, servers }], scaling);
    expect(isSameValue(now, asked)).toBe(expected);
  });

  test('are none where the process is not listed', () => {
    expect(currentCounts([{ ...row, name: 'worker', servers: { 'web-1': 2 } }], scaling)).toBeUndefined();
  });
});

test('the body of a scale request, and the way out of it', () => {
  const wanted = { name: 'worker', counts: { ab12: 3 } };
  expect(scalePayload(wanted, {})).toEqual({ process_name: 'worker', server_count: { ab12: 3 } });
  expect(scalePayload(wanted, { server_count: 3, x: null })).toEqual({
    process_name: 'worker',
    server_count: 3,
    x: null,
  });
});

describe('fields of a body', () => {
  test('are typed by what they say', () => {
    const words = ['a=true', 'b=false', 'c=null', 'd=-7', 'e=007', 'f=1.5', 'g=', 'h=x=y', 'i=99999999999999999999'];
    expect(readBodyFields(words, [])).toEqual({
      a: true,
      b: false,
      c: null,
      d: -7,
      e: '007',
      f: '1.5',
      g: '',
      h: 'x=y',
      i: '99999999999999999999',
    });
  });

  test.each([
    ['x', '--field must be NAME=VALUE, not "x"'],
    ['=1', '--field must be NAME=VALUE, not "=1"'],
    ['id=1', '--field cannot set "id": it is part of the path'],
  ])('%s is refused', (word, message) => {
    expect(() => readBodyFields([word], ['stack_id', 'id'])).toThrow(message);
  });
});
