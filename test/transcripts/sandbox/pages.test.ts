import { expect, test } from 'vitest';
import { at, freshSandbox, rows, shop } from './fresh-sandbox.ts';

const list = `GET /stacks/${shop}/environments`;

test('cuts lists into pages of thirty', async () => {
  const { ask } = await freshSandbox();
  const [first, second, beyond] = [await ask(list), await ask(`${list}?page=2`), await ask(`${list}?page=3`)];
  expect([first, second, beyond].map((answer) => rows(answer).length)).toEqual([30, 8, 0]);
  const always = { per_page: 30, count: 38, pages: 2 };
  expect(at(first.body, 'pagination')).toEqual({ previous: null, next: 2, current: 1, ...always });
  expect(at(second.body, 'pagination')).toEqual({ previous: 1, next: null, current: 2, ...always });
  expect(at(beyond.body, 'pagination')).toEqual({ previous: 2, next: null, current: 3, ...always });
  expect(at(first.body, 'count')).toBe(38);
  expect(new Set([...rows(first), ...rows(second)].map(({ key }) => key)).size).toBe(38);
});

test('gives an empty list one page', async () => {
  const { ask } = await freshSandbox();
  const answer = await ask(`GET /stacks/${shop}/actions?user_reference=none`);
  expect(answer.body).toEqual({
    response: [],
    count: 0,
    pagination: { previous: null, next: null, current: 1, per_page: 30, count: 0, pages: 1 },
  });
});
