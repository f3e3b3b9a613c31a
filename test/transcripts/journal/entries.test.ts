import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readLines } from '../../../src/files/own-file.ts';
import { findRun, isOpenChange, type JournalRun, selectRuns } from '../../../src/writes/journal/entries.ts';
import { answerOutcomes, endOutcomes, type JournalEvent, readEvent } from '../../../src/writes/journal/event.ts';
import { freshFolder } from '../files/folder.ts';
import { done, journalAt, sentChange } from './journal-file.ts';

const at = '2026-05-04T11:00:00.000Z';
const sent = (id: string, run?: string): string =>
  line({ event: 'sent', id, ...(run && { run }), at, ...sentChange, pid: 1 });
const answered = (id: string, outcome: (typeof answerOutcomes)[number], run?: string): string =>
  line({ event: 'answered', id, ...(run && { run }), at, outcome });
const ended = (id: string, outcome: (typeof endOutcomes)[number]): string => line({ event: 'ended', id, at, outcome });
const line = (event: JournalEvent): string => JSON.stringify(event);
const shown = (runs: readonly JournalRun[]) =>
  runs.map(({ number, changes }) => [
    number,
    ...changes.flatMap(({ sent, answered, ended }) => [sent.id, answered?.outcome, ended?.outcome]),
  ]);
const select = (lines: readonly string[], selection: Parameters<typeof selectRuns>[1]) =>
  selectRuns(() => lines, selection);

describe('readEvent', () => {
  it.each([sent('a'), answered('a', 'done'), ended('a', 'failed')])('takes %s', (text) => {
    expect(JSON.stringify(readEvent(text))).toBe(text);
  });

  it('takes the hashes of a value, and passes over what is none', () => {
    const value = { key: 'LOG_LEVEL', hash_key: '2026-05-04T11:00:00.000Z', before: '00', after: 'ff' };
    const withValue = (given: object) => readEvent(JSON.stringify({ ...JSON.parse(sent('a')), value: given }));
    expect(withValue(value)).toEqual({ ...readEvent(sent('a')), value });
    expect(withValue({ ...value, before: 1 })).toBeUndefined();
    expect(withValue({ ...value, hash_key: 1 })).toBeUndefined();
  });

  it('keeps an older line, whose hashes have a salt in place of a key', () => {
    const value = { key: 'LOG_LEVEL', salt: '00', before: null, after: 'ff' };
    const line = JSON.stringify({ ...JSON.parse(sent('a')), value });
    expect(readEvent(line)).toEqual({ ...readEvent(sent('a')), value });
  });

  it.each([
    '',
    sent('a').slice(0, -1),
    `${sent('a').slice(0, 40)}${sent('b')}`,
    'null',
    '[]',
    '"sent"',
    '{"event":"toString","id":"a","at":"x"}',
    sent('a').replace('"pid":1', '"pid":"1"'),
    sent('a').replace('"stack":', '"stack":{},"x":'),
    sent('a').replace(/"command":\[[^\]]*\]/, '"command":[1]'),
    answered('a', 'done').replace('done', 'fine'),
    ended('a', 'failed').replace('"id":"a",', ''),
  ])('passes over %j', (text) => {
    expect(readEvent(text)).toBeUndefined();
  });
});

describe('isOpen', () => {
  it.each(answerOutcomes)('holds for a change that was answered with %s, or not', (outcome) => {
    const entry = select([sent('a'), answered('a', outcome)], {})[0]?.changes[0];
    expect(entry && isOpenChange(entry)).toBe(outcome === 'unknown' || outcome === 'interrupted');
  });

  it.each(endOutcomes)('holds for an unknown outcome of which waiting saw: %s', (ending) => {
    const entries = select([sent('a'), answered('a', 'unknown'), ended('a', ending)], { open: true });
    const isSettled = ['succeeded', 'failed', 'closed'].includes(ending);
    expect(entries).toHaveLength(isSettled ? 0 : 1);
  });

  it('holds without an answer', () => {
    expect(shown(select([sent('a')], { open: true }))).toEqual([[1, 'a', undefined, undefined]]);
  });
});

describe('selectRuns', () => {
  const lines = [
    sent('a'),
    sent('b'),
    'torn',
    answered('b', 'unknown'),
    answered('x', 'done'),
    sent('c'),
    answered('a', 'done'),
    answered('c', 'refused'),
    sent('d'),
    answered('b', 'confirmed'),
    ended('a', 'succeeded'),
  ];

  it('yields them newest first, numbered as they were sent, each with its last answer', () => {
    expect(shown(select(lines, {}))).toEqual([
      [4, 'd', undefined, undefined],
      [3, 'c', 'refused', undefined],
      [2, 'b', 'confirmed', undefined],
      [1, 'a', 'done', 'succeeded'],
    ]);
  });

  it('keeps the numbers when there are fewer, and when more are added', () => {
    expect(shown(select(lines, { last: 2 }))).toEqual(shown(select(lines, {})).slice(0, 2));
    const more = select([...lines, sent('e')], { last: 2 });
    expect(more.map(({ number }) => number)).toEqual([5, 4]);
  });

  it('yields as many open ones as there are wanted, however many closed ones follow', () => {
    const all = [sent('a'), sent('b'), sent('c'), sent('d'), sent('e'), answered('d', 'done'), answered('e', 'done')];
    expect(select(all, { open: true, last: 2 }).map(({ number }) => number)).toEqual([3, 2]);
    expect(select(all, { open: true }).map(({ number }) => number)).toEqual([3, 2, 1]);
  });

  it('gathers the changes of a run, which others may come between', () => {
    const two = [
      sent('a'),
      sent('b', 'a'),
      sent('x'),
      answered('a', 'done'),
      sent('c', 'a'),
      answered('c', 'unknown', 'a'),
    ];
    const whole = [1, 'a', 'done', undefined, 'b', undefined, undefined, 'c', 'unknown', undefined];
    expect(shown(select(two, {}))).toEqual([[2, 'x', undefined, undefined], whole]);
    expect(shown(select([...two, answered('x', 'done')], { open: true }))).toEqual([whole]);
    expect(shown(select(two, { last: 1 }))).toEqual([[2, 'x', undefined, undefined]]);
    expect(findRun(two, 3)).toBeUndefined();
  });

  it('reads what a journal wrote', async () => {
    const file = join(freshFolder(), 'journal.jsonl');
    const { journal } = journalAt(file);
    await (await journal.begin(sentChange)).recordAnswer({ ...done, reference: 'action 812' });
    await journalAt(file).journal.begin(sentChange);
    const [two, one] = selectRuns(() => readLines(file, { warn: () => undefined }), {});
    expect([one?.number, two?.number, two?.changes[0].answered]).toEqual([1, 2, undefined]);
    expect(one?.changes[0].sent).toMatchObject(sentChange);
    expect(one?.changes[0].answered).toMatchObject({ ...done, reference: 'action 812' });
  });
});

describe('findRun', () => {
  const lines = [sent('a'), sent('b'), answered('a', 'done'), answered('b', 'unknown'), ended('b', 'unseen')];

  it('finds an entry by its number, with its answer and its end', () => {
    const found = findRun(lines, 2);
    expect(found && shown([found])).toEqual([[2, 'b', 'unknown', 'unseen']]);
  });

  it.each([0, 3])('finds none of number %i', (number) => {
    expect(findRun(lines, number)).toBeUndefined();
  });
});
