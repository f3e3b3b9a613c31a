import { expect, test } from 'vitest';
import { isoText, readInstant, relativeText } from '../../../src/contract/values/time.ts';

test.each([
  ['2025-06-01T11:57:00Z', '2025-06-01T11:57:00Z'],
  ['2025-06-01T11:57:00+0000', '2025-06-01T11:57:00Z'],
  ['2025-06-01T13:57:00+02:00', '2025-06-01T11:57:00Z'],
  ['2025-06-01 11:57:00 UTC', '2025-06-01T11:57:00Z'],
  ['2025-06-01T11:57:00.250Z', '2025-06-01T11:57:00.250Z'],
])('%s is %s', (text, iso) => {
  const moment = readInstant(text);
  expect(moment && isoText(moment)).toBe(iso);
});

test.each(['', 'yesterday', '2025-13-01T00:00:00Z', '2025-06-01', '1748779020', '2025-06-01T11:57:00'])(
  '%j names no moment',
  (text) => {
    expect(readInstant(text)).toBeUndefined();
  },
);

test.each([
  ['2025-06-01T12:00:00Z', '0s ago'],
  ['2025-06-01T11:59:59Z', '1s ago'],
  ['2025-06-01T11:57:00Z', '3m ago'],
  ['2025-06-01T10:30:00Z', '1h ago'],
  ['2025-05-29T12:00:00Z', '3d ago'],
  ['2025-04-01T12:00:00Z', '61d ago'],
  ['2023-05-01T12:00:00Z', '2y ago'],
  ['2025-06-01T20:00:00Z', 'in 8h'],
])('at noon %s is %s', (moment, words) => {
  expect(relativeText(new Date(moment), new Date('2025-06-01T12:00:00Z'))).toBe(words);
});
