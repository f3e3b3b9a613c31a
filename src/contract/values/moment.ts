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

/** Milliseconds since 1970 of a time that was sent; 0 for a missing or unreadable one, which so counts as the oldest. */
export function msOf(at: string | null): number {
  const ms = Date.parse(at ?? '');
  return Number.isNaN(ms) ? 0 : ms;
}

/** `2025-01-02T03:04:05Z`, with milliseconds only where there are some. */
export function isoText(moment: Date): string {
  return moment.toISOString().replace('.000Z', 'Z');
}
