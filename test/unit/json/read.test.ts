import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJsonDocument, parseStrictJson } from '../../../src/json/read.ts';
import { writeJson } from '../../../src/json/write.ts';
import { jsonProperty as property } from '../../support/property.ts';

describe('values', () => {
  test('ordinary JSON', async () => {
    expect(await parseStrictJson(' {"a": [1, -2.5, "x\\n", true, null]} ')).toEqual({
      a: [1, -2.5, 'x\n', true, null],
    });
  });

  test('integers beyond 2^53 keep their digits', async () => {
    expect(await parseStrictJson('{"id":9007199254740993,"small":-9007199254740991,"s":"9007199254740993"}')).toEqual({
      id: 9007199254740993n,
      small: -9007199254740991,
      s: '9007199254740993',
    });
  });

  test('long fractions and exponents are numbers', async () => {
    expect(await parseStrictJson('[0.30000000000000004, 1e3, 1.5E-2]')).toEqual([0.30000000000000004, 1000, 0.015]);
  });

  test('a number beyond all others does not make the rest unreadable', async () => {
    expect(await parseStrictJson('{"a":1e400,"b":-1.25E+400,"c":1}')).toEqual({
      a: 10n ** 400n,
      b: -125n * 10n ** 398n,
      c: 1,
    });
    expect(writeJson(await parseStrictJson('[1e310]'), { indent: false, escapeControls: false })).toBe('[1e310]');
  });

  test.each([
    ['1e9999', Number.POSITIVE_INFINITY],
    ['-1.5E+123456789012', Number.NEGATIVE_INFINITY],
    [`${'1'.repeat(400)}.5`, BigInt('1'.repeat(400))],
    [`-${'1'.repeat(400)}.5e1`, -BigInt(`${'1'.repeat(400)}5`)],
    [`${'1'.repeat(400)}e-50`, BigInt('1'.repeat(350))],
    [`0.${'0'.repeat(100)}1e+500`, 10n ** 399n],
  ])('%.20s… is valid, and keeps its spelling', async (text, value) => {
    const read = await parseStrictJson(`{"rows":[${text}],"n":${text}}`);
    expect(read).toEqual({ rows: [value], n: value });
    expect(writeJson(read, { indent: false, escapeControls: false })).toBe(`{"rows":[${text}],"n":${text}}`);
  });

  test('`__proto__` is plain data', async () => {
    const value = await parseStrictJson('{"__proto__":{"admin":true},"n":12345678901234567890}');
    expect(Object.keys(value as object)).toEqual(['__proto__', 'n']);
    expect((value as { admin?: boolean }).admin).toBeUndefined();
  });

  property('what is read is written back as it came', [fc.jsonValue({ maxDepth: 8 })], async (value) => {
    const text = JSON.stringify(value);
    expect(writeJson(await parseStrictJson(text), { indent: false, escapeControls: false })).toBe(text);
  });

  property('bigints round-trip', [fc.bigInt(2n ** 53n, 2n ** 80n)], async (value) => {
    const text = writeJson([{ value }], { indent: true, escapeControls: true });
    expect(await parseStrictJson(text)).toEqual([{ value }]);
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
    ['1e9999', 'JSON with a number of more than 1,000 digits'],
    ['[1e9999,]', 'not valid JSON at position 8'],
    ['{"a":1,"b":2,"a":3}', 'JSON with a repeated key at position 13'],
    ['{"a":1,"\\u0061":3}', 'JSON with a repeated key at position 7'],
    ['{"x":{"a":1},"y":[{"a":1},{"a":2,"a" : 3}]}', 'JSON with a repeated key at position 33'],
    [`${'['.repeat(65)}${']'.repeat(65)}`, 'JSON nested deeper than 64 levels'],
    ['['.repeat(100_000), 'JSON nested deeper than 64 levels'],
    [`[${'9'.repeat(1_001)}]`, 'JSON with a number of more than 1,000 digits'],
    [`{"a":-0.${'1'.repeat(2_000)}}`, 'JSON with a number of more than 1,000 digits'],
    [`[${'0,'.repeat(5_000_001)}0]`, 'JSON with more than 5 million names and values'],
  ])('%.40s', async (text, message) => {
    await expect(parseStrictJson(text)).rejects.toThrow(message);
    await expect(parseStrictJson(text)).rejects.not.toThrow(/secret/);
  });

  test('64 levels are read', async () => {
    expect(await parseStrictJson(`${'['.repeat(64)}${']'.repeat(64)}`)).toHaveLength(1);
  });

  test('the same key in neighbouring objects is no repetition, brackets in strings are no nesting', async () => {
    expect(await parseStrictJson('[{"a":"[[["},{"a":"\\"{"}]')).toEqual([{ a: '[[[' }, { a: '"{' }]);
  });
});

describe('what a program sent', () => {
  const read = async (text: string) => (await parseJsonDocument(text)).value;
  const plain = { indent: false, escapeControls: false };

  test('of repeated keys the last one counts, beside numbers that need care too', async () => {
    expect(await read('{"a":1,"b":2,"a":3}')).toEqual({ a: 3, b: 2 });
    expect(await read('{"a":1,"b":1.10,"a":3}')).toEqual({ a: 3, b: 1.1 });
  });

  test.each([
    ['{"a":secret}', 'not valid JSON at position 5'],
    [`${'['.repeat(65)}${']'.repeat(65)}`, 'JSON nested deeper than 64 levels'],
    ['['.repeat(2_000_000), 'not valid JSON'],
    [`[${'9'.repeat(1_001)}]`, 'JSON with a number of more than 1,000 digits'],
    [`[{"uid":${'9'.repeat(2_000_000)}}]`, 'JSON with a number of more than 1,000 digits'],
    [`[${'0,'.repeat(5_000_001)}0]`, 'JSON with more than 5 million names and values'],
    [`["${'x'.repeat(2_000_000)}"`, 'not valid JSON'],
  ])('%.30s… is refused', async (text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });

  property('is read as JSON.parse reads it, but for numbers that it would change', [fc.json()], async (text) => {
    expect(JSON.stringify(JSON.parse(writeJson(await read(text), plain)))).toBe(JSON.stringify(JSON.parse(text)));
  });

  property(
    'a number keeps its digits wherever it stands',
    [fc.bigInt(2n ** 53n, 2n ** 80n), fc.jsonValue({ maxDepth: 2 }), fc.boolean()],
    async (number, value, isSpaced) => {
      const text = writeJson({ before: value, list: [value, number], number }, { ...plain, indent: isSpaced });
      expect(writeJson(await read(text), { ...plain, indent: isSpaced })).toBe(text);
    },
  );

  test('texts that hold something like a number are only texts', async () => {
    const texts = ['takes 1.50 s', '2026-11-22 05:06:07.120Z', '[1.10, -0]', ' 12345678901234567890 '];
    expect(await read(JSON.stringify(texts))).toEqual(texts);
  });
});

describe('numbers keep their spelling', () => {
  test.each([
    '{"a":1e400,"b":-0,"c":1.10,"d":[1.0,-1.5E+3,[0.10]],"e":12345678901234567890}',
    '[1E5,1.00,0e0,-0.0,1e-400,123456789012345678.5,0.30000000000000004,1.5]',
    '{"__proto__":{"n":1.0},"n":-0}',
    `[${'7'.repeat(1_000)}]`,
  ])('%.40s', async (text) => {
    const style = { indent: false, escapeControls: false };
    expect(writeJson(await parseStrictJson(text), style)).toBe(text);
    expect(writeJson((await parseJsonDocument(text)).value, style)).toBe(text);
  });

  test('and are plain numbers to everybody else', async () => {
    expect(await parseStrictJson('{"percent":10.0,"zero":-0,"page":1e0}')).toEqual({ percent: 10, zero: -0, page: 1 });
  });

  test('a value that was changed since is written as it is now', async () => {
    const value = (await parseStrictJson('{"a":1.0}')) as { a: number };
    value.a = 2;
    expect(writeJson(value, { indent: false, escapeControls: false })).toBe('{"a":2}');
  });
});
