import { expect, test } from 'vitest';
import { integer, many, text } from '../../../src/contract/field.ts';
import { record } from '../../../src/contract/record.ts';
import { page } from '../../../src/contract/reply.ts';
import { renderResult } from '../../../src/output/render.ts';
import type { View } from '../../../src/output/view.ts';
import { printed } from '../../support/gate.ts';
import { inPipe, onTerminal } from './views.ts';

const Note = record(
  'note',
  { id: integer('Id.'), note: text('Note.'), tags: many(text('Tag.'), 'Tags.'), size: integer('Size.') },
  ['id', 'note'],
);

const csv = (more: Partial<View> = {}) => inPipe({ format: 'csv', ...more });

async function list(rows: readonly Readonly<Record<string, unknown>>[], view: View = csv()) {
  const presentation = { kind: 'table', record: Note, rows } as const;
  return printed(renderResult({ value: rows, reply: page(Note), presentation }, view), view.terminal);
}

/** The second cell of a row whose first is 1, as it is written. */
async function cell(note: unknown, more: Partial<View> = {}): Promise<string> {
  const { out } = await list([{ id: 1, note }], csv({ header: false, ...more }));
  expect(out).toMatch(/^1,.*\r\n$/s);
  return out.slice(2, -2);
}

test('a heading of field names, and lines that end with CR LF', async () => {
  expect(await list([{ id: 1, note: 'a', tags: ['x', 'y'] }, { id: 2 }], csv({ columns: ['id', 'tags'] }))).toEqual({
    out: 'id,tags\r\n1,"x, y"\r\n2,\r\n',
    err: '',
  });
});

test('an empty list is its heading, so that what reads it finds its columns', async () => {
  expect(await list([])).toEqual({ out: 'id,note\r\n', err: 'No notes.\n' });
  expect(await list([], csv({ header: false }))).toEqual({ out: '', err: 'No notes.\n' });
  expect(await list([], csv({ quiet: true }))).toEqual({ out: '', err: '' });
});

test.each([
  ['plain', 'plain'],
  ['a,b', '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ['a\nb', '"a\nb"'],
  ['a\r\nb', '"a\r\nb"'],
  ['a\tb\\c', 'a\tb\\c'],
  [' a ', ' a '],
  ['ünï', 'ünï'],
  ['a\x1b[0m', 'a\x1b[0m'],
  ['-', "'-"],
  ['', '""'],
  [null, ''],
  [undefined, ''],
])('%j is written as %j', async (note, written) => {
  expect(await cell(note)).toBe(written);
});

test.each([
  ['=1+1', "'=1+1"],
  ['=HYPERLINK("http://x","y")', '"\'=HYPERLINK(""http://x"",""y"")"'],
  ['+49 30', "'+49 30"],
  ['+5', "'+5"],
  ['-1+cmd', "'-1+cmd"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['\r=1', '"\'\r=1"'],
  ['\n=1', '"\'\n=1"'],
  ['＝1', "'＝1"],
  ['a=1', 'a=1'],
  ['-5', '-5'],
  ['-5.25', '-5.25'],
  ['-1e9', '-1e9'],
])('no spreadsheet runs %j', async (note, written) => {
  expect(await cell(note)).toBe(written);
  expect(await cell(note, { csvRaw: true })).toBe(written.replace(/^("?)'/, '$1'));
});

test('numbers stay numbers, with all their digits', async () => {
  const rows = [{ id: -5, size: 9007199254740993n }];
  expect((await list(rows, csv({ columns: ['id', 'size'], header: false }))).out).toBe('-5,9007199254740993\r\n');
});

test('a row of one empty cell is no blank line', async () => {
  expect((await list([{ id: 1 }], csv({ columns: ['note'], header: false }))).out).toBe('""\r\n');
});

test('-q gives identifiers', async () => {
  expect((await list([{ id: 2 }, { id: 1 }], csv({ quiet: true, sort: 'id' }))).out).toBe('1\r\n2\r\n');
});

test('a terminal is not steered', async () => {
  const { out } = await list([{ id: 1, note: 'a\x1b[0m\nb\rc' }], onTerminal({ format: 'csv', header: false }));
  expect(out).toBe('1,"a\\x1b[0m\nb\\rc"\r\n');
});

test('one object is a heading and a row', async () => {
  const row = { id: 7, note: '=x', size: 3 };
  const { out } = await printed(
    renderResult({ value: row, presentation: { kind: 'detail', record: Note, row } }, csv()),
  );
  expect(out).toBe("id,note,tags,size\r\n7,'=x,,3\r\n");
});
