import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readLines } from '../../src/files/read-lines.ts';
import { findEntry, isOpen, type JournalEntry, selectEntries } from '../../src/journal/entries.ts';
import { endings, type JournalEvent, outcomes, readEvent } from '../../src/journal/event.ts';
import { freshFolder } from '../files/folder.ts';
import { deed, done, journalAt } from './journal-file.ts';

const at = '2026-05-04T11:00:00.000Z';
const sent = (id: string): string => line({ event: 'sent', id, at, ...deed, pid: 1 });
const answered = (id: string, outcome: (typeof outcomes)[number]): string =>
  line({ event: 'answered', id, at, outcome });
const ended = (id: string, outcome: (typeof endings)[number]): string => line({ event: 'ended', id, at, outcome });
const line = (event: JournalEvent): string => JSON.stringify(event);
const shown = (entries: readonly JournalEntry[]) =>
  entries.map(({ number, sent: { id }, answered, ended }) => [number, id, answered?.outcome, ended?.outcome]);

describe('readEvent', () => {
  it.each([sent('a'), answered('a', 'done'), ended('a', 'failed')])('takes %s', (text) => {
    expect(JSON.stringify(readEvent(text))).toBe(text);
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
    sent('a').replace(/"words":\[[^\]]*\]/, '"words":[1]'),
    answered('a', 'done').replace('done', 'fine'),
    ended('a', 'failed').replace('"id":"a",', ''),
  ])('passes over %j', (text) => {
    expect(readEvent(text)).toBeUndefined();
  });
});

describe('isOpen', () => {
  it.each(outcomes)('holds for a change that was answered with %s, or not', (outcome) => {
    const entry = selectEntries([sent('a'), answered('a', outcome)], {})[0];
    expect(entry && isOpen(entry)).toBe(outcome === 'unknown' || outcome === 'interrupted');
  });

  it.each(endings)('holds for an unknown outcome of which waiting saw: %s', (ending) => {
    const entries = selectEntries([sent('a'), answered('a', 'unknown'), ended('a', ending)], { open: true });
    const isSettled = ['succeeded', 'failed', 'closed'].includes(ending);
    expect(entries).toHaveLength(isSettled ? 0 : 1);
  });

  it('holds without an answer', () => {
    expect(shown(selectEntries([sent('a')], { open: true }))).toEqual([[1, 'a', undefined, undefined]]);
  });
});

describe('selectEntries', () => {
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
    expect(shown(selectEntries(lines, {}))).toEqual([
      [4, 'd', undefined, undefined],
      [3, 'c', 'refused', undefined],
      [2, 'b', 'confirmed', undefined],
      [1, 'a', 'done', 'succeeded'],
    ]);
  });

  it('keeps the numbers when there are fewer, and when more are added', () => {
    expect(shown(selectEntries(lines, { last: 2 }))).toEqual(shown(selectEntries(lines, {})).slice(0, 2));
    const more = selectEntries([...lines, sent('e')], { last: 2 });
    expect(more.map(({ number }) => number)).toEqual([5, 4]);
  });

  it('yields as many open ones as there are wanted, however many closed ones follow', () => {
    const all = [sent('a'), sent('b'), sent('c'), sent('d'), sent('e'), answered('d', 'done'), answered('e', 'done')];
    expect(selectEntries(all, { open: true, last: 2 }).map(({ number }) => number)).toEqual([3, 2]);
    expect(selectEntries(all, { open: true }).map(({ number }) => number)).toEqual([3, 2, 1]);
  });

  it('reads what a journal wrote', async () => {
    const file = join(freshFolder(), 'journal.jsonl');
    const { journal } = journalAt(file);
    await (await journal.begin(deed)).answered({ ...done, reference: 'action 812' });
    await journal.begin(deed);
    const [two, one] = selectEntries(readLines(file, { warn: () => undefined }), {});
    expect([one?.number, two?.number, two?.answered]).toEqual([1, 2, undefined]);
    expect(one?.sent).toMatchObject(deed);
    expect(one?.answered).toMatchObject({ ...done, reference: 'action 812' });
  });
});

describe('findEntry', () => {
  const lines = [sent('a'), sent('b'), answered('a', 'done'), answered('b', 'unknown'), ended('b', 'unseen')];

  it('finds an entry by its number, with all that became of it', () => {
    const found = findEntry(lines, 2);
    expect(found && shown([found])).toEqual([[2, 'b', 'unknown', 'unseen']]);
  });

  it.each([0, 3])('finds none of number %i', (number) => {
    expect(findEntry(lines, number)).toBeUndefined();
  });
});
