import { expect, test } from 'vitest';
import { partsFor, type StatusPart } from '../../../src/commands/status/sections.ts';
import { dueParts, nextDueMs, type Pace } from '../../../src/commands/status/watch.ts';

const usual: Pace = { everyMs: 15_000, isDeploying: false, failing: new Set(), rateLimit: undefined, shares: 1 };
const all = partsFor(['deployment', 'variants', 'servers', 'processes', 'backups', 'pending']);

/** How often each part is read in so many seconds, each time when the next one is due. */
function readsIn(
  seconds: number,
  pace: Pace,
  wanted: readonly StatusPart[] = all,
): Partial<Record<StatusPart, number>> {
  const times = new Map<StatusPart, number>();
  const reads: Partial<Record<StatusPart, number>> = {};
  for (let nowMs = 0; nowMs < seconds * 1000; nowMs = nextDueMs(wanted, times, pace)) {
    for (const part of dueParts(wanted, times, pace, nowMs)) {
      times.set(part, nowMs);
      reads[part] = (reads[part] ?? 0) + 1;
    }
  }
  return reads;
}

test('in two minutes most parts are read every 15 s, and the slow ones every minute', () => {
  expect(readsIn(120, usual)).toEqual({
    stack: 8,
    actions: 8,
    deployment: 8,
    variants: 8,
    processes: 8,
    servers: 2,
    backups: 2,
    pending: 2,
  });
});

test('while something deploys, deployments and variants are read every 5 s', () => {
  expect(readsIn(120, { ...usual, isDeploying: true })).toEqual({
    stack: 8,
    actions: 8,
    deployment: 24,
    variants: 24,
    processes: 8,
    servers: 2,
    backups: 2,
    pending: 2,
  });
});

test('a longer --every is for all parts but those of a deployment', () => {
  expect(
    readsIn(600, { ...usual, everyMs: 300_000, isDeploying: true }, ['deployment', 'servers', 'processes']),
  ).toEqual({
    deployment: 120,
    servers: 2,
    processes: 2,
  });
});

test('near the rate limit everything takes four times as long', () => {
  expect(readsIn(240, { ...usual, rateLimit: { why: 'x', forMs: 0 } }, ['deployment', 'servers'])).toEqual({
    deployment: 4,
    servers: 1,
  });
});

test('many stacks share 30 requests a minute', () => {
  const reads = readsIn(600, { ...usual, shares: 80 }, ['deployment', 'servers']);
  expect(reads).toEqual({ deployment: 4, servers: 4 });
});

test('what was never read is due', () => {
  expect(dueParts(['stack', 'servers'], new Map([['stack', 5_000]]), usual, 6_000)).toEqual(['servers']);
});
