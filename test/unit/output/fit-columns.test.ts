import fc from 'fast-check';
import { expect, test } from 'vitest';
import { text } from '../../../src/contract/field.ts';
import { fitColumns, type SizedColumn } from '../../../src/output/table/table.ts';
import { property } from '../../support/property.ts';

const field = text('Text.');

/** `id:6 text:30 number!:9 said~:50`: `!` is a number, `~` wraps, the first is an ID. */
function columns(words: string): readonly SizedColumn[] {
  return words.split(' ').map((word, index) => {
    const [path = '', width] = word.split(':');
    const [isRight, wraps] = [path.endsWith('!'), path.endsWith('~')];
    return {
      column: { path, heading: path, field, isRight, isWhole: index === 0, isRequired: index === 0, wraps },
      width: Number(width),
    };
  });
}

function fitted(words: string, room: number, keepAll = false): string {
  return fitColumns(columns(words), room, keepAll)
    .map(({ column, width }) => `${column.path}:${width}`)
    .join(' ');
}

test.each([
  ['id:6 a:10 b:10', 30, 'id:6 a:10 b:10'],
  ['id:6 a:10 b:10', 29, 'id:6 a:10 b:9'],
  ['id:6 a:30 b:10', 30, 'id:6 a:10 b:10'],
  ['id:6 a:30 b:30', 40, 'id:6 a:15 b:15'],
  ['id:6 a:30 b:30', 26, 'id:6 a:8 b:8'],
  ['id:6 a:30 b:30', 25, 'id:6 a:17'],
  ['id:6 a:30 long-heading:30', 30, 'id:6 a:8 long-heading:12'],
  ['id:6 a:30 long-heading:30', 29, 'id:6 a:21'],
  ['id:6 n!:20 a:30', 40, 'id:6 n!:20 a:10'],
  ['id:6 n!:20 a:30', 30, 'id:6 n!:20'],
  ['id:6 a:3 b:9', 21, 'id:6 a:3 b:8'],
  ['id:6 said~:90 b:9', 60, 'id:6 said~:41 b:9'],
  ['id:6 said~:90 b:9', 46, 'id:6 said~:28 b:8'],
  ['id:6 said~:90 b:9', 45, 'id:6 said~:37'],
  ['id:6 n!:20 said~:90 b:9', 58, 'id:6 n!:20 said~:28'],
  ['id:6 n!:20 said~:90 b:9', 57, 'id:6 n!:20 said~:27'],
  ['id:6 n!:20 said~:90 b:9', 50, 'id:6 n!:20 said~:20'],
  ['id:6 n!:20 said~:90 b:9', 49, 'id:6 said~:41'],
  ['id:6 n!:20 said~:90', 27, 'id:6'],
  ['id:60 a:30', 40, 'id:60'],
  ['id:6 a:1000000 b:1000000', 40, 'id:6 a:15 b:15'],
])('%s in %i columns: %s', (words, room, expected) => {
  expect(fitted(words, room)).toBe(expected);
});

test('columns that were asked for stay, even when that is too much', () => {
  expect(fitted('id:6 a:30 b:30', 10, true)).toBe('id:6 a:8 b:8');
});

const widths = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 8 });
const rooms = fc.integer({ min: 1, max: 120 });

property('whatever is left fits, unless only what cannot be cut is left', [widths, rooms], (all, room) => {
  const required = fitColumns(columns(all.map((width, index) => `c${index}:${width}`).join(' ')), room, false);
  const total = required.reduce((sum, { width }) => sum + width + 2, -2);
  expect(total <= room || required.length === 1).toBe(true);
  expect(required[0]?.width).toBe(all[0]);
});
