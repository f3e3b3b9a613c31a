import { Problem } from '../../../problems/problem.ts';

const day = String.raw`(\d{4}-\d\d-\d\d)`;
const time = String.raw`(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?`;
const zone = String.raw`(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)`;
const spelling = new RegExp(`^${day}(?:T${time}${zone})?$`);

/** A date, meaning midnight UTC, or a time with its zone, in ISO 8601; undefined for anything else. */
export function momentIn(text: string): Date | undefined {
  const [, date] = spelling.exec(text) ?? [];
  // JavaScript reads 30 February as a day in March.
  const midnight = new Date(`${date}T00:00:00Z`);
  const isDay = !Number.isNaN(midnight.getTime()) && midnight.toISOString().slice(0, 10) === date;
  return isDay ? new Date(text) : undefined;
}

/** The same; throws usage with `shown` as its name. */
export function readMoment(text: string, shown: string): Date {
  const moment = momentIn(text);
  if (moment) return moment;
  throw new Problem(
    'usage',
    `${shown} must be a date or a time with its zone, such as 2026-03-02 or 2026-03-02T18:45:00Z, not "${text}"`,
  );
}
