import { expect, test } from 'vitest';
import { stateChanges } from '../../../src/cli/watch/changes.ts';
import { frameLines } from '../../../src/cli/watch/screen.ts';
import { watchedGate } from '../../support/gate.ts';

const at = new Date('2026-05-04T12:00:15.250Z');
const time = '2026-05-04T12:00:15Z';
const state = (name: string, text: string, isPassing = false) => ({ section: 'servers', name, state: text, isPassing });

test('what is new, what has changed, and what is gone', () => {
  const before = [state('web-1', 'healthy'), state('web-2', 'impaired'), state('web-3', 'healthy')];
  const after = [state('web-4', 'building'), state('web-2', 'healthy'), state('web-1', 'healthy')];
  expect(stateChanges(before, after, at)).toEqual([
    { time, section: 'servers', name: 'web-4', before: null, after: 'building' },
    { time, section: 'servers', name: 'web-2', before: 'impaired', after: 'healthy' },
    { time, section: 'servers', name: 'web-3', before: 'healthy', after: null },
  ]);
});

test('what leaves a list of the newest is no change', () => {
  expect(stateChanges([state('1', 'success', true)], [state('2', 'success', true)], at)).toEqual([
    { time, section: 'servers', name: '2', before: null, after: 'success' },
  ]);
});

const body = ['one', 'two', 'three', 'four', 'five'];

test('a screen that fits', () => {
  expect(frameLines({ body, notes: ['a note'], footer: 'footer' }, { columns: 80, rows: 9 })).toEqual([
    ...body,
    '',
    'a note',
    'footer',
  ]);
});

test('a screen that is too tall says how much is hidden', () => {
  expect(frameLines({ body, notes: [], footer: 'footer' }, { columns: 80, rows: 6 })).toEqual([
    'one',
    'two',
    '3 more lines do not fit',
    '',
    'footer',
  ]);
});

test.each([1, 2, 3, 4, 5])('a screen of %d rows leaves one to the cursor', (rows) => {
  const lines = frameLines({ body, notes: ['a', 'b'], footer: 'footer' }, { columns: 80, rows });
  expect(lines.length).toBeLessThanOrEqual(Math.max(1, rows - 1));
});

test('a frame is drawn over the one before, below what was said since, and from the top after a change of the size', async () => {
  const { out, err, shown } = watchedGate({ terminal: true });
  const drawn = async (isResized: boolean) => {
    const before = shown().out.length;
    await out.redraw(['one', 'two'], isResized);
    return shown().out.slice(before);
  };
  const lines = '\x1b[Kone\n\x1b[Ktwo\n\x1b[J\x1b[?7h';
  expect(await drawn(false)).toBe(`\x1b[?7l\r${lines}`);
  expect(await drawn(false)).toBe(`\x1b[?7l\r\x1b[2A${lines}`);
  expect(await drawn(true)).toBe(`\x1b[?7l\x1b[H${lines}`);
  await err.lines(['a warning']);
  expect(await drawn(false)).toBe(`\x1b[?7l\r${lines}`);
  expect(await drawn(false)).toBe(`\x1b[?7l\r\x1b[2A${lines}`);
});
