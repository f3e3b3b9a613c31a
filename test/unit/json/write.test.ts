import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonPieces, writeJson } from '../../../src/json/write.ts';
import { jsonProperty as property } from '../../support/property.ts';

const plain = { indent: false, escapeControls: false };

test('one line, as JSON.stringify', () => {
  expect(writeJson({ a: [1, 'ü\n', null], b: undefined }, plain)).toBe('{"a":[1,"ü\\n",null]}');
  expect(writeJson(undefined, plain)).toBe('null');
});

test('indented', () => {
  expect(writeJson({ a: [], b: { c: 1 } }, { indent: true, escapeControls: false })).toBe(
    '{\n  "a": [],\n  "b": {\n    "c": 1\n  }\n}',
  );
});

test('bigints as digits, in either layout', () => {
  const value = { id: 9007199254740993n, list: [1, { x: 'y', none: undefined }], empty: {} };
  expect(writeJson(value, plain)).toBe('{"id":9007199254740993,"list":[1,{"x":"y"}],"empty":{}}');
  expect(writeJson(value, { indent: true, escapeControls: false })).toBe(
    '{\n  "id": 9007199254740993,\n  "list": [\n    1,\n    {\n      "x": "y"\n    }\n  ],\n  "empty": {}\n}',
  );
});

property('the layout with bigints is the layout without', [fc.jsonValue(), fc.boolean()], (value, indent) => {
  const style = { indent, escapeControls: false };
  expect(writeJson([value, 7n], style)).toBe(writeJson([value, 7], style));
});

test('what disturbs a terminal is escaped and stays the same value', () => {
  const value = 'a\u007f\u009b\u202e\u2028\u200b\ufeff\u{e0041}é';
  const text = writeJson([value], { indent: false, escapeControls: true });
  expect(text).toBe('["a\\u007f\\u009b\\u202e\\u2028\\u200b\\ufeff\\udb40\\udc41é"]');
  expect(JSON.parse(text)).toEqual([value]);
});

property(
  'written in pieces as all at once',
  [fc.array(fc.jsonValue({ maxDepth: 3 })), fc.integer({ min: 1, max: 400 }), fc.boolean()],
  (items, times, indent) => {
    const value = Array.from({ length: times }, () => items).flat();
    const text = [...jsonPieces(value, { indent, escapeControls: false })].join('');
    expect(text).toBe(JSON.stringify(value, undefined, indent ? 2 : undefined));
  },
);

test('a long list is written in pieces of bounded length', () => {
  const value = Array.from({ length: 2_000 }, () => ['é"'.repeat(100), '\u202e'.repeat(100)]);
  const pieces = [...jsonPieces(value, { indent: false, escapeControls: true })];
  expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(1_000_000);
  expect(pieces.length).toBeGreaterThan(10);
  expect(JSON.parse(pieces.join(''))).toEqual(value);
});
