import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readJson } from '../../src/json/read.ts';
import { writeJson } from '../../src/json/write.ts';
import { property } from '../support/property.ts';

describe('values', () => {
  test('ordinary JSON', async () => {
    expect(await readJson(' {"a": [1, -2.5, "x\\n", true, null]} ')).toEqual({ a: [1, -2.5, 'x\n', true, null] });
  });

  test('integers beyond 2^53 keep their digits', async () => {
    expect(await readJson('{"id":9007199254740993,"small":-9007199254740991,"s":"9007199254740993"}')).toEqual({
      id: 9007199254740993n,
      small: -9007199254740991,
      s: '9007199254740993',
    });
  });

  test('long fractions and exponents are numbers', async () => {
    expect(await readJson('[0.30000000000000004, 1e3, 1.5E-2]')).toEqual([0.30000000000000004, 1000, 0.015]);
  });

  test('a number beyond all others does not make the rest unreadable', async () => {
    expect(await readJson('{"a":1e400,"b":-1.25E+400,"c":1}')).toEqual({
      a: 10n ** 400n,
      b: -125n * 10n ** 398n,
      c: 1,
    });
    expect(writeJson(await readJson('[1e310]'), { indent: false, escapeControls: false })).toBe('[1e310]');
  });

  test.each([
    ['1e9999', Number.POSITIVE_INFINITY],
    ['-1.5E+123456789012', Number.NEGATIVE_INFINITY],
    [`${'1'.repeat(400)}.5`, BigInt('1'.repeat(400))],
    [`-${'1'.repeat(400)}.5e1`, -BigInt(`${'1'.repeat(400)}5`)],
    [`${'1'.repeat(400)}e-50`, BigInt('1'.repeat(350))],
    [`0.${'0'.repeat(100)}1e+500`, 10n ** 399n],
  ])('%.20s… is valid, and keeps its spelling', async (text, value) => {
    const read = await readJson(`{"rows":[${text}],"n":${text}}`);
    expect(read).toEqual({ rows: [value], n: value });
    expect(writeJson(read, { indent: false, escapeControls: false })).toBe(`{"rows":[${text}],"n":${text}}`);
  });

  test('`__proto__` is plain data', async () => {
    const value = await readJson('{"__proto__":{"admin":true},"n":12345678901234567890}');
    expect(Object.keys(value as object)).toEqual(['__proto__', 'n']);
    expect((value as { admin?: boolean }).admin).toBeUndefined();
  });

  property('what is read is written back as it came', [fc.jsonValue({ maxDepth: 8 })], async (value) => {
    const text = JSON.stringify(value);
    expect(writeJson(await readJson(text), { indent: false, escapeControls: false })).toBe(text);
  });

  property('bigints round-trip', [fc.bigInt(2n ** 53n, 2n ** 80n)], async (value) => {
    const text = writeJson([{ value }], { indent: true, escapeControls: true });
    expect(await readJson(text)).toEqual([{ value }]);
  });
});

describe('faults name a position and no content', () => {
  test.each([
    ['{"a":secret}', 'not valid JSON at position 5'],
    ['', 'not valid JSON at position 0'],
    ['{"a":1', 'not valid JSON at position 6'],
    ['[1,]', 'not valid JSON at position 3'],
    ['[1] secret', 'not valid JSON at position 4'],
    ['[01]', 'not valid JSON at position 2'],
    ['"secret', 'not valid JSON at position 7'],
    ['1e9999', 'JSON with a number of more than 1,000 digits at position 0'],
    ['[1e9999,]', 'not valid JSON at position 8'],
    ['{"a":1,"b":2,"a":3}', 'JSON with a repeated key at position 13'],
    ['{"a":1,"\\u0061":3}', 'JSON with a repeated key at position 7'],
    ['{"x":{"a":1},"y":[{"a":1},{"a":2,"a" : 2}]}', 'JSON with a repeated key at position 33'],
    [`${'['.repeat(65)}${']'.repeat(65)}`, 'JSON nested deeper than 64 levels at position 64'],
    ['['.repeat(1_000_000), 'JSON nested deeper than 64 levels at position 64'],
  ])('%.40s', async (text, message) => {
    await expect(readJson(text)).rejects.toThrow(message);
    await expect(readJson(text)).rejects.not.toThrow(/secret/);
  });

  test('64 levels are read', async () => {
    expect(await readJson(`${'['.repeat(64)}${']'.repeat(64)}`)).toHaveLength(1);
  });

  test('the same key in neighbouring objects is no repetition, brackets in strings are no nesting', async () => {
    expect(await readJson('[{"a":"[[["},{"a":"\\"{"}]')).toEqual([{ a: '[[[' }, { a: '"{' }]);
  });
});
