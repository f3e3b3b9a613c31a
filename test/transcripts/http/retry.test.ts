import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TransportFailure } from '../../../src/contract/exchange.ts';
import {
  delayAfterCut,
  delayAfterFailure,
  delayAfterResponse,
  type RetryState,
  retryAfterMs,
} from '../../../src/http/retry.ts';
import { property } from '../../support/property.ts';
import { answerOf } from './calls.ts';

const nowMs = Date.UTC(2026, 0, 2, 3, 4, 5);
const reading: RetryState = {
  writes: false,
  attempts: 1,
  maxRetries: 3,
  remainingMs: 120_000,
  nowMs,
  random: () => 0.5,
};
const writing: RetryState = { ...reading, writes: true };
const delayOf = (status: number, standing: RetryState, headers = {}) =>
  delayAfterResponse(answerOf('', status, headers), standing);

describe('Retry-After', () => {
  const date = 'Fri, 02 Jan 2026 10:00:00 GMT';
  test.each<[string, string | undefined, number | undefined]>([
    ['0', undefined, 0],
    ['120', undefined, 120_000],
    [' 7 ', undefined, 7_000],
    ['99999999999999999999', undefined, 1e23],
    ['Fri, 02 Jan 2026 10:00:30 GMT', date, 30_000],
    ['Fri, 02 Jan 2026 09:59:00 GMT', date, 0],
    ['Fri, 02 Jan 2026 03:04:15 GMT', undefined, 10_000],
    ['-5', undefined, undefined],
    ['1.5', undefined, undefined],
    ['soon', undefined, undefined],
    ['2026-01-02', undefined, undefined],
    ['', undefined, undefined],
  ])('%s', (told, dated, expected) => {
    const headers = { 'retry-after': told, ...(dated !== undefined && { date: dated }) };
    expect(retryAfterMs(answerOf('', 429, headers), nowMs)).toBe(expected);
  });

  test('is never undercut and stretched by a tenth at most', () => {
    expect(delayOf(429, reading, { 'retry-after': '10' })).toBe(10_500);
    expect(delayOf(503, { ...reading, random: () => 0 }, { 'retry-after': '10' })).toBe(10_000);
    expect(delayOf(429, writing, { 'retry-after': '10' })).toBe(10_500);
  });

  test('alone makes a read be repeated that is done again soon anyway', () => {
    const polled = { ...reading, isPolled: true };
    expect(delayOf(429, polled, { 'retry-after': '10' })).toBe(10_500);
    expect([delayOf(429, polled), delayOf(503, polled), delayAfterCut(polled)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    const lost = new TransportFailure('reset', 'x', { sent: true, repeats: 'always' });
    expect(delayAfterFailure(lost, polled)).toBeUndefined();
  });

  test.each([['61'], ['60', 59_000]])('%s is too long', (told, remainingMs = 120_000) => {
    expect(delayOf(429, { ...reading, remainingMs }, { 'retry-after': told })).toBeUndefined();
  });

  test.each(['0', '-5', 'garbage'])('%s means the usual delay', (told) => {
    expect(delayOf(429, reading, { 'retry-after': told })).toBe(550);
  });
});

describe('who may repeat', () => {
  const failure = (sent: boolean, repeats: 'never' | 'once' | 'always') =>
    new TransportFailure('reset', 'x', { sent, repeats });

  test('a read after anything that may pass', () => {
    expect(delayAfterFailure(failure(true, 'always'), reading)).toBe(550);
    expect(delayAfterFailure(failure(true, 'never'), reading)).toBeUndefined();
    expect(delayAfterFailure(failure(true, 'once'), reading)).toBe(550);
    expect(delayAfterFailure(failure(true, 'once'), { ...reading, attempts: 2 })).toBeUndefined();
    expect(delayAfterFailure(failure(true, 'always'), { ...reading, attempts: 4 })).toBeUndefined();
    expect(delayAfterFailure(failure(true, 'always'), { ...reading, maxRetries: 0 })).toBeUndefined();
  });

  test('a write only when it never left', () => {
    expect(delayAfterFailure(failure(false, 'always'), writing)).toBe(550);
    expect(delayAfterFailure(failure(true, 'always'), writing)).toBeUndefined();
    expect(delayAfterCut(writing)).toBeUndefined();
    expect(delayAfterCut(reading)).toBe(550);
  });

  test('a write after no status but 429', () => {
    for (let status = 100; status < 600; status += 1) {
      expect({ status, repeats: delayOf(status, writing) !== undefined }).toEqual({ status, repeats: status === 429 });
    }
  });

  test('a read after six statuses', () => {
    const statuses = Array.from({ length: 500 }, (_, at) => at + 100);
    expect(statuses.filter((status) => delayOf(status, reading) !== undefined)).toEqual([408, 429, 500, 502, 503, 504]);
  });
});

const chances = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

property(
  'every delay lies between 0.1 s and its ceiling, and fits the time left',
  [fc.integer({ min: 1, max: 10 }), chances, fc.integer({ min: 0, max: 10_000 })],
  (attempts, chance, remainingMs) => {
    const delayMs = delayOf(500, { ...reading, attempts, maxRetries: 10, remainingMs, random: () => chance });
    if (delayMs === undefined) return;
    expect(delayMs).toBeGreaterThanOrEqual(100);
    expect(delayMs).toBeLessThanOrEqual(Math.min(8_000, 500 * 2 ** attempts));
    expect(delayMs).toBeLessThan(remainingMs);
  },
);
