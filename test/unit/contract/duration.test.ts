import { expect, test } from 'vitest';
import { durationMs, suggestDuration } from '../../../src/contract/values/time.ts';

test.each([
  ['250ms', 250],
  ['90s', 90_000],
  ['5m', 300_000],
  ['1.5h', 5_400_000],
  ['7d', 604_800_000],
  ['0', 0],
  ['8', undefined],
  ['', undefined],
  ['5 m', undefined],
  ['1w', undefined],
  ['-1s', undefined],
])('a duration has its unit: %j is %j', (text, ms) => {
  expect(durationMs(text)).toBe(ms);
});

test.each([
  ['8', '8h'],
  ['1w', '7d'],
  ['2 weeks', '14d'],
  ['5min', '5m'],
  ['3 hours', '3h'],
  ['2 days', '2d'],
  ['30 sec', '30s'],
  ['yesterday', '24h'],
  ['1 month', undefined],
  ['soon', undefined],
  ['', undefined],
])('what %j probably means is %j', (text, meant) => {
  expect(suggestDuration(text, 'h')).toBe(meant);
});
