import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readJson } from '../../src/json/read.ts';
import { jsonPieces, writeJson } from '../../src/json/write.ts';
import { slowProperty } from '../support/property.ts';

const plain = { indent: false, escapeControls: false };

/** What a long value is made of: a counterexample shows this, and not its thousands of members. */
const seeds = fc.record({
  items: fc.array(fc.jsonValue({ maxDepth: 2 }), { minLength: 1, maxLength: 5 }),
  members: fc.dictionary(fc.string({ maxLength: 6 }), fc.jsonValue({ maxDepth: 2 }), { minKeys: 1, maxKeys: 5 }),
  shape: fc.constantFrom('list', 'object', 'nested', 'neighbours'),
});
type Seed = ReturnType<typeof seeds.generate>['value'];

/** Members enough for several cuts, at the top or some levels below it. */
function grown({ items, members, shape }: Seed): unknown {
  const list = Array.from({ length: 6_000 }, (_, at) => [at, items[at % items.length]]);
  const object = Object.fromEntries(list.map((item, at) => [`k${at}`, item]));
  if (shape === 'list') return list;
  if (shape === 'object') return { ...members, ...object };
  if (shape === 'nested') return { ...members, inner: [...items, { ...members, rows: list, items }], last: members };
  return [list, object, items, [list], members];
}

/** The text of a value whose integers beyond 2^53 have lost their digits, as JSON.parse loses them. */
const asNumbers = (value: unknown) => JSON.stringify(JSON.parse(writeJson(value, plain)));

const noise = fc.constantFrom('', ',', ']', '}', '[', '{', '"', ':', '1', ' ', 'null', '\\');

describe('a long text is the same value', () => {
  slowProperty('read in pieces as all at once', [seeds, fc.boolean()], async (seed, spaced) => {
    const value = grown(seed);
    const text = JSON.stringify(value, undefined, spaced ? 1 : undefined);
    expect(asNumbers(await readJson(text)) === JSON.stringify(value)).toBe(true);
  });

  slowProperty('written in pieces as all at once', [seeds, fc.boolean()], (seed, indent) => {
    const value = grown(seed);
    const text = [...jsonPieces(value, { indent, escapeControls: false })].join('');
    expect(text === JSON.stringify(value, undefined, indent ? 2 : undefined)).toBe(true);
  });

  slowProperty(
    'broken anywhere, it is refused, and where it is whole it is not',
    [seeds, fc.double({ min: 0, max: 1, noNaN: true }), noise],
    async (seed, place, put) => {
      const text = JSON.stringify(grown(seed));
      const at = Math.floor(place * text.length);
      const broken = `${text.slice(0, at)}${put}${text.slice(at + 1)}`;
      const expected = parsed(broken);
      const found = await readJson(broken).catch((error: Error) => error);
      if (found instanceof Error && / repeated key /.test(found.message)) return;
      if (expected === undefined) expect(String(found)).toMatch(/^JsonFault: (not valid JSON|JSON nested)/);
      else expect(asNumbers(found) === JSON.stringify(expected)).toBe(true);
    },
  );

  test.each([
    [
      'a repeated key far from the first',
      (many: string) => `{"a":1,"b":[${many}],"a":2}`,
      /repeated key at position 24\d+$/,
    ],
    ['the same far above', (many: string) => `[{"x":1,"y":{"z":[${many}],"w":[${many}]},"x":1}]`, /repeated key/],
    ['a comma at the end', (many: string) => `[${many},]`, /not valid JSON/],
    ['nothing between commas', (many: string) => `[${many},,${many}]`, /not valid JSON/],
    ['a bracket of the other kind', (many: string) => `[[${many}}]`, /not valid JSON/],
    ['something behind the end', (many: string) => `[${many}] []`, /not valid JSON at position 240\d\d$/],
    ['no end', (many: string) => `[[${many}]`, /not valid JSON/],
    ['nothing in front of the first comma', (many: string) => `[{"a":[${many}]},{,"b":1}]`, /not valid JSON/],
  ])('%s', async (_, make, message) => {
    const many = Array.from({ length: 12_000 }, () => '0').join(',');
    await expect(readJson(make(many))).rejects.toThrow(message);
  });
});

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

describe('numbers keep their spelling', () => {
  test.each([
    '{"a":1e400,"b":-0,"c":1.10,"d":[1.0,-1.5E+3,[0.10]],"e":12345678901234567890}',
    '[1E5,1.00,0e0,-0.0,1e-400,123456789012345678.5,0.30000000000000004,1.5]',
    '{"__proto__":{"n":1.0},"n":-0}',
  ])('%s', async (text) => {
    expect(writeJson(await readJson(text), plain)).toBe(text);
  });

  test('and are plain numbers to everybody else', async () => {
    expect(await readJson('{"percent":10.0,"zero":-0,"page":1e0}')).toEqual({ percent: 10, zero: -0, page: 1 });
  });

  test('in a long list too', async () => {
    const text = `{"x":-0,"rows":[${Array.from({ length: 30_000 }, (_, at) => `${at}.0,{"v":${at}.10}`).join(',')}],"y":1.0}`;
    expect(writeJson(await readJson(text), plain)).toBe(text);
  });

  test('a value that was changed since is written as it is now', async () => {
    const value = (await readJson('{"a":1.0}')) as { a: number };
    value.a = 2;
    expect(writeJson(value, plain)).toBe('{"a":2}');
  });
});

describe('bounds', () => {
  test.each([
    ['digits', `[${'9'.repeat(1_001)}]`, 'JSON with a number of more than 1,000 digits at position 1'],
    [
      'digits far behind',
      `{"a":-0.${'1'.repeat(2_000)}}`,
      'JSON with a number of more than 1,000 digits at position 6',
    ],
    ['values', `[${'0,'.repeat(5_000_000)}0]`, 'JSON with more than 5 million names and values at position 10000000'],
  ])('%s', async (_, text, message) => {
    await expect(readJson(text)).rejects.toThrow(message);
  });

  test('a thousand digits are kept', async () => {
    const text = `[${'7'.repeat(1_000)}]`;
    expect(writeJson(await readJson(text), plain)).toBe(text);
  });
});

/** Turns of the event loop while the work is under way. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let over = false;
  const count = (): void => {
    turns += 1;
    if (!over) setImmediate(count);
  };
  setImmediate(count);
  await work();
  over = true;
  return turns;
}

describe('the event loop is given back', () => {
  test.each([
    ['each 10,000 values', `[${'0,'.repeat(200_000)}0]`, 20],
    ['each million characters', `[${`"${'x'.repeat(100_000)}",`.repeat(100)}0]`, 10],
    ['within a text of many escapes', `["${'\\"'.repeat(200_000)}"]`, 15],
    ['far from any comma', `[${' '.repeat(100)}${`${'['.repeat(3)}${']'.repeat(3)}`}${' '.repeat(3_000_000)}]`, 3],
  ])('%s', async (_, text, least) => {
    expect(await turnsDuring(() => readJson(text))).toBeGreaterThanOrEqual(least);
  });

  test('and a reader that is no longer wanted ends', async () => {
    const stop = new AbortController();
    const reading = readJson(`[${'0,'.repeat(200_000)}0]`, stop.signal);
    stop.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
  });

  test('a text is written in pieces of bounded length', () => {
    const pieces = [
      ...jsonPieces(['é"'.repeat(1_000_000), '😀'.repeat(100_000)], { indent: false, escapeControls: true }),
    ];
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(300_000);
    expect(JSON.parse(pieces.join(''))).toEqual(['é"'.repeat(1_000_000), '😀'.repeat(100_000)]);
  });
});
