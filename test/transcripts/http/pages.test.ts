import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CliError } from '../../../src/errors/cli-error.ts';
import { walkPages } from '../../../src/http/pages.ts';
import { property } from '../../support/property.ts';

type Pagination = Readonly<Record<string, unknown>> | undefined;
type Page = readonly [rows: readonly unknown[], pagination?: Pagination, count?: number | undefined];

async function walk(pages: (asked: number) => Page, limit?: number, memoryBytes = 0) {
  const asked: (number | undefined)[] = [];
  const warnings: string[] = [];
  const kept: unknown[] = [];
  const walk = walkPages({
    fetchPage: async (page) => {
      asked.push(page);
      const [found, pagination, count] = pages(page ?? 1);
      return { rows: found, pagination, count, memoryBytes };
    },
    limit,
    isHeld: true,
    isRequested: () => true,
    keyName: 'key',
    warn: (line) => warnings.push(line),
    incompleteError: (why) => new CliError('unavailable', why),
  });
  const rows = await keepAll(walk, kept).catch((error: unknown) =>
    error instanceof CliError ? error.message : Promise.reject(error),
  );
  return { rows, asked, warnings };
}
async function keepAll(pages: ReturnType<typeof walkPages>, kept: unknown[]): Promise<readonly unknown[]> {
  for await (const rows of pages) kept.push(...rows);
  return kept;
}

const ids = (...numbers: readonly number[]) => numbers.map((id) => ({ id }));

describe('a list', () => {
  test('without pagination is one page', async () => {
    expect(await walk(() => [ids(1, 1)])).toEqual({ rows: ids(1, 1), asked: [undefined], warnings: [] });
  });

  test('follows next, and only next', async () => {
    const pages = (asked: number): Page => [
      ids(asked),
      { current: asked, next: asked < 3 ? asked + 1 : null, pages: 3, count: 42 },
    ];
    expect(await walk(pages)).toEqual({ rows: ids(1, 2, 3), asked: [undefined, 2, 3], warnings: [] });
  });

  test('stops at the limit without asking on', async () => {
    expect(await walk((asked) => [ids(asked * 2, asked * 2 + 1), { next: asked + 1 }], 3)).toMatchObject({
      rows: ids(2, 3, 4),
      asked: [undefined, 2],
    });
  });

  test('shows rows that moved between pages once, and says so', async () => {
    const rows = [
      [{ key: 'a' }, { key: 'b' }],
      [{ key: 'b' }, { key: 'c' }],
    ];
    expect(await walk((asked) => [rows[asked - 1] ?? [], { current: asked, next: asked < 2 ? 2 : null }])).toEqual({
      rows: [{ key: 'a' }, { key: 'b' }, { key: 'c' }],
      asked: [undefined, 2],
      warnings: ['1 rows came on more than one page and are shown once; the list changed meanwhile'],
    });
  });

  test('keeps rows it cannot tell apart', async () => {
    expect((await walk((asked) => [['a'], { current: asked, next: asked < 2 ? 2 : null }])).rows).toEqual(['a', 'a']);
  });

  test.each<[string, number[], string[]]>([
    ['of the page', [2, 1], []],
    ['of the whole list', [3, 3], []],
    ['of neither', [2, 7], ['the service announced 7 rows but sent 3']],
  ])('is warned of where its count is that %s, if at all', async (_, counts, warnings) => {
    const rows = [ids(1, 2), ids(3)];
    const pages = (asked: number): Page => [rows[asked - 1] ?? [], { next: asked < 2 ? 2 : null }, counts[asked - 1]];
    expect(await walk(pages)).toEqual({ rows: ids(1, 2, 3), asked: [undefined, 2], warnings });
    expect((await walk(pages, 2)).warnings).toEqual([]);
  });

  test('reads no more pages ahead than the limit needs', async () => {
    const pages = (asked: number): Page => [ids(asked * 2, asked * 2 + 1), { next: asked + 1, pages: 9 }];
    expect((await walk(pages, 5)).asked).toEqual([undefined, 2, 3]);
    expect((await walk(pages, 2)).asked).toEqual([undefined]);
  });

  test.each([
    ['grows', 5, ids(1, 2, 3, 4, 5)],
    ['shrinks', 2, ids(1, 2)],
  ])('that %s while it is read ends where the service says', async (_, pages, rows) => {
    const asked = (page: number): Page => [ids(page), { current: page, next: page < pages ? page + 1 : null, pages }];
    const first: Page = [ids(1), { current: 1, next: 2, pages: 3 }];
    expect(await walk((page) => (page === 1 ? first : asked(page)))).toMatchObject({ rows, warnings: [] });
  });

  test('may end with an empty page', async () => {
    expect((await walk((asked) => (asked === 1 ? [ids(1), { next: 2 }] : [[], { next: null }]))).rows).toEqual(ids(1));
  });
});

describe('a list is incomplete', () => {
  test.each<[string, (asked: number) => Page, string]>([
    [
      'next stays',
      (asked) => [ids(asked), { current: asked, next: 2 }],
      'after page 2 the service names page 2 as the next',
    ],
    [
      'next goes back',
      (asked) => [ids(asked), { current: asked, next: asked === 1 ? 5 : 3 }],
      'after page 5 the service names page 3 as the next',
    ],
    [
      'next is before current',
      () => [ids(1), { current: 4, next: 2 }],
      'after page 4 the service names page 2 as the next',
    ],
    [
      'next is no number',
      () => [ids(1), { next: 'soon' }],
      'after page 1 the service names something that is not a page number as the next',
    ],
    ['the page is ignored', () => [ids(1, 2), { current: 1, next: 2 }], 'page 2 was requested, but another page came'],
    ['it stops early', () => [ids(1), { current: 1, next: null, pages: 3 }], 'the service stops at page 1 of 3'],
  ])('%s', async (_, pages, why) => {
    expect((await walk(pages)).rows).toBe(why);
  });

  test('beyond 10,000 pages', async () => {
    const { rows, asked } = await walk((page) => [ids(page), { current: page, next: page + 1 }]);
    expect(rows).toBe('it has more than 10000 pages');
    expect(asked).toHaveLength(10_000);
  });
});

/** Bytes of a page that lets no other be read before it is wanted. */
const tooLarge = 3 * 1024 * 1024;

const number = fc.option(fc.integer({ min: -2, max: 6 }));
const pagination = fc.record({ current: number, next: number, pages: number }, { requiredKeys: [] });

property(
  'any sequence of paginations comes to an end',
  [fc.array(pagination, { minLength: 1, maxLength: 8 })],
  async (list) => {
    const { asked } = await walk((page) => [ids(page), list[page % list.length]]);
    expect(asked.length).toBeLessThanOrEqual(7);
  },
);

property(
  'pages that are read ahead change nothing in what comes out',
  [fc.array(pagination, { minLength: 1, maxLength: 8 }), fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined })],
  async (list, limit) => {
    const pages = (page: number): Page => [ids(page, page + 1), list[page % list.length]];
    const [ahead, alone] = [await walk(pages, limit), await walk(pages, limit, tooLarge)];
    expect([ahead.rows, ahead.warnings]).toEqual([alone.rows, alone.warnings]);
  },
);
