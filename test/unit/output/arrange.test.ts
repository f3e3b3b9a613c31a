import { expect, test } from 'vitest';
import { arrangeItems } from '../../../src/output/filter-sort.ts';
import { Deployment } from '../../../src/resources/deployment.ts';
import { StackSetting } from '../../../src/resources/setting.ts';

const deployments = [
  { id: 9, started_at: '2025-06-01 11:00:00 UTC', outcome: { code: 2, meaning: 'failed' }, is_live: false },
  { id: 10, started_at: '2025-06-01T10:00:00Z', outcome: { code: 1, meaning: 'success' }, is_live: true },
  { id: 9007199254740993n, started_at: null, is_live: false },
  { id: 100, started_at: '2025-06-01T14:30:00+0400', outcome: { code: 0, meaning: 'pending' }, is_live: false },
];

function order(sort?: string, limit?: number): readonly unknown[] {
  const view = { ...(sort !== undefined && { sort }), ...(limit !== undefined && { limit }) };
  return arrangeItems(deployments, Deployment.fields, view).map(({ id }) => id);
}

const big = 9007199254740993n;

test.each([
  [undefined, [9, 10, big, 100]],
  ['id', [9, 10, 100, big]],
  ['-id', [big, 100, 10, 9]],
  ['started_at', [10, 100, 9, big]],
  ['-started_at', [9, 100, 10, big]],
  ['outcome', [9, 100, 10, big]],
  ['outcome.code', [100, 10, 9, big]],
  ['-outcome.code', [9, 10, 100, big]],
  ['is_live', [9, big, 100, 10]],
])('by %s', (sort, ids) => {
  expect(order(sort)).toEqual(ids);
});

test('of values of several types numbers come before texts', () => {
  const settings = [10, '1a', 9, null, true, 'on'].map((value) => ({ key: 'k', value }));
  const sorted = (sort: string) => arrangeItems(settings, StackSetting.fields, { sort }).map(({ value }) => value);
  expect(sorted('value')).toEqual([true, 9, 10, '1a', 'on', null]);
  expect(sorted('-value')).toEqual(['on', '1a', 10, 9, true, null]);
});

test('the limit counts after sorting', () => {
  expect(order('-id', 2)).toEqual([big, 100]);
});
