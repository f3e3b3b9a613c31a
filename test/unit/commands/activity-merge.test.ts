import { expect, test } from 'vitest';
import { type FoundEvent, mergeEvents } from '../../../src/commands/activity/events.ts';

const timeOf = (minute: number) => new Date(Date.UTC(2026, 0, 1) + minute * 60_000 * 5).toISOString();

test('events are compared only with those near in time, or of the recorded reference', () => {
  let compared = 0;
  const found = Array.from({ length: 2000 }, (_, at): readonly FoundEvent[] => {
    const time = timeOf(at);
    const row = { name: String(at), event: 'success', by: null, time };
    const causes = (other: FoundEvent) => {
      compared += 1;
      return other.name === row.name;
    };
    return [
      { ...row, type: 'deployment' },
      { ...row, type: 'action', causes, changeTimes: [time] },
      { ...row, type: 'local', by: 'me', causes, changeTimes: [timeOf(0)], references: [`deployment ${at}`] },
    ];
  }).flat();
  const merged = mergeEvents(found);
  expect(merged.map(({ type, by }) => `${type} ${by}`)).toEqual(Array.from({ length: 2000 }, () => 'deployment me'));
  expect(compared).toBeLessThan(5 * found.length);
});

test('the message of two actions that caused one event is added once', () => {
  const row = { by: null, time: timeOf(0) };
  const action = {
    ...row,
    type: 'action',
    event: 'deploy failed',
    detail: 'Cancelled.',
    changeTimes: [timeOf(0)],
  } as const;
  const merged = mergeEvents([
    { ...row, type: 'deployment', name: '7', event: 'cancelled' },
    { ...action, name: '1', causes: () => true },
    { ...action, name: '2', causes: () => true },
  ]);
  expect(merged.map(({ event }) => event)).toEqual(['cancelled: Cancelled.']);
});
