import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Document, parse, type Schema } from 'yaml';
import { parseStrictJson } from '../../../src/json/read.ts';
import { createSimpleWriter, yamlPieces, yamlText } from '../../../src/output/formats/yaml-text.ts';
import { anyText, property } from '../../support/property.ts';

test('lists and objects as people write them', async () => {
  const value = [
    { uid: 'a', tags: ['x'], none: null, empty: [], nothing: {}, on: true, note: 'two\nlines\n' },
    { uid: 'b' },
  ];
  expect(await yamlText(value)).toBe(
    `- uid: a
  tags:
    - x
  none: null
  empty: []
  nothing: {}
  "on": true
  note: |
    two
    lines
- uid: b`,
  );
});

test.each([
  [[], '[]'],
  [{}, '{}'],
  ['x', 'x'],
  ['a\nb\n', String.raw`"a\nb\n"`],
  [[' a\nb\n', 'a\nb\n\n', 'a\nb\n'], '- " a\\nb\\n"\n- "a\\nb\\n\\n"\n- |\n  a\n  b'],
  [9007199254740993n, '9007199254740993'],
  [{ id: -9007199254740993n, part: 0.1, huge: 1e21 }, 'id: -9007199254740993\npart: 0.1\nhuge: 1e+21'],
])('%s is %s', async (value, text) => {
  expect(await yamlText(value)).toBe(text);
});

test('what other readers of YAML 1.1 stumble over stands in quotes', async () => {
  expect(await yamlText({ '=': '=', k: 'a\tb', block: 'a\n\tb\n' })).toBe('"=": "="\nk: "a\\tb"\nblock: |\n  a\n  \tb');
});

test.each([
  'no',
  'ON',
  'y',
  '~',
  'null',
  '',
  '0123',
  '0x1F',
  '0o17',
  '1_000',
  '1e3',
  '.5',
  '12:30:00',
  '2026-05-04',
  '=',
  '<<',
  '- a',
  'a: b',
  'a #b',
  '@a',
  '`a',
  '%a',
  '!a',
  '&a',
  '*a',
  "'",
  '"',
])('the text %j stays a text, in YAML 1.1 and 1.2', async (value) => {
  const text = await yamlText([value]);
  expect(parse(text)).toEqual([value]);
  expect(parse(text, { version: '1.1' })).toEqual([value]);
});

test('what is invisible or steers a terminal is escaped, also in keys', async () => {
  const value = {
    'k\u202e': 'a\x1b[0m',
    nel: '\u0085',
    tag: '\u{e0041}',
    del: '\x7f',
    bom: '\ufeff',
    cr: 'a\rb',
    tab: 'a\tb',
  };
  const text = await yamlText(value);
  expect(text).toBe(
    String.raw`"k\u202e": "a\e[0m"
nel: "\u0085"
tag: "\U000e0041"
del: "\u007f"
bom: "\ufeff"
cr: "a\rb"
tab: "a\tb"`,
  );
  expect(parse(text)).toEqual(value);
});

const ofLibrary = (value: unknown) => new Document(value, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
const schema = ofLibrary(null).schema as Schema;
const writeSimple = createSimpleWriter([...schema.tags, ...(schema.compat ?? [])]);

test('a row of usual texts is written without the library', () => {
  const row = {
    uid: '5f3c9a1e',
    git: 'git@host.example:shop.git',
    at: '2026-05-04T12:00:00Z',
    busy: false,
    hook: null,
  };
  expect(writeSimple([{ ...row, count: 2, tags: ['a: b', 'Größe (1)'], none: [] }])).toBeDefined();
  expect(writeSimple([{ note: 'two\nlines' }])).toBeUndefined();
});

const nearlyPlain = fc.string({ unit: fc.constantFrom(...'aeExTZ_019.:/+-# (,é"\\=<'), maxLength: 8 });
const word = fc.constantFrom(
  'on',
  'No',
  'null',
  'y',
  'TRUE',
  '1_000',
  '0x1F',
  '12:30',
  '2026-05-04',
  '1e3',
  '-',
  '---',
);
const leaf = fc.oneof(
  nearlyPlain,
  word,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constant(null),
);
const tree = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(nearlyPlain, tie('any'), { maxKeys: 3 }),
  ),
}));

property('what is written without the library is what the library writes', [tree.any], (value) => {
  const text = writeSimple([value]);
  if (text !== undefined) expect(`${text}\n`).toBe(ofLibrary([value]).toString({ lineWidth: 0 }));
});

const values = fc.jsonValue({ maxDepth: 4 }).filter((value) => !JSON.stringify(value).includes('-0'));

property(
  'whatever JSON holds, YAML 1.1 and 1.2 give back',
  [fc.oneof(values, anyText, fc.dictionary(anyText, anyText))],
  async (value) => {
    const text = await yamlText(value);
    expect(parse(text)).toEqual(value);
    expect(parse(text, { version: '1.1' })).toEqual(value);
  },
);

const layout = fc.string({ unit: fc.constantFrom('\n', ' ', '\t', 'a', '-', '#', ':') });
const blank = fc.string({ unit: fc.constantFrom('\n', ' ', '\t') });

property(
  'texts of blanks and line feeds come back, alone, in lists, as values and as keys',
  [fc.oneof(layout, blank), layout],
  async (text, other) => {
    for (const value of [text, [text, other], { [text]: other, [other]: [text] }, [[{ a: { b: text } }]]]) {
      const yaml = await yamlText(value);
      expect(parse(yaml)).toEqual(value);
      expect(parse(yaml, { version: '1.1' })).toEqual(value);
    }
  },
  [
    ['\n', ''],
    [' \n', ''],
    ['\n a\n', ''],
    [' a\nb\n', ''],
    ['a\n\n', ''],
  ],
);

test('many of the same are written out, not referred to', async () => {
  const same = { a: 1 };
  expect(await yamlText([same, same])).toBe('- a: 1\n- a: 1');
});

test('numbers are spelled as they came', async () => {
  const value = await parseStrictJson('{"a":1.10,"b":1e400,"c":-0,"d":[1.0,{"e":1E5}]}');
  expect(await yamlText(value)).toBe('a: 1.10\nb: 1e400\nc: -0\nd:\n  - 1.0\n  - e: 1E5');
});

test('a long list is made some rows at a time, and is the same text', async () => {
  const rows = Array.from({ length: 250 }, (_, id) => ({ id, note: 'two\nlines\n\n', part: [id] }));
  const pieces: string[] = [];
  for await (const piece of yamlPieces(rows)) pieces.push(piece);
  expect(pieces.join('')).toBe(`${await yamlText(rows)}\n`);
  expect(pieces).toHaveLength(25);
});

test('a row too large for that is written as JSON, which YAML reads as the same value', async () => {
  const rows = [
    ...Array.from({ length: 101 }, (_, id) => ({ id })),
    { many: Array.from({ length: 20_000 }, () => 'no') },
  ];
  let text = '';
  for await (const piece of yamlPieces(rows)) text += piece;
  expect(parse(text)).toEqual(rows);
});
