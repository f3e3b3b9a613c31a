/** Returns the time of day: `12:00:15 UTC`. */
export function clockText(at: Date): string {
  return `${at.toISOString().slice(11, 19)} UTC`;
}

/** Returns a duration as text: `45s`, `2m 5s`, `1h 2m`. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const parts = hours > 0 ? [`${hours}h`, `${minutes}m`] : [`${minutes}m`, `${seconds % 60}s`];
  return parts.filter((part) => !/^0/.test(part)).join(' ') || '0s';
}

const ageUnits = [
  ['y', 31_536_000, 2],
  ['d', 86_400, 2],
  ['h', 3600, 1],
  ['m', 60, 1],
] as const;

/** Returns an age, rounded down to its largest unit: `3d`, `12h`, `5m`, `40s`. Years and days are used from two on. */
export function ageText(seconds: number): string {
  const unit = ageUnits.find(([, length, least]) => seconds >= least * length);
  return unit ? `${Math.floor(seconds / unit[1])}${unit[0]}` : `${seconds}s`;
}

/** Returns the distance from now: `3m ago`, `in 2d`. */
export function relativeText(moment: Date, now: Date): string {
  const seconds = Math.trunc((now.getTime() - moment.getTime()) / 1000);
  return seconds < 0 ? `in ${ageText(-seconds)}` : `${ageText(seconds)} ago`;
}

const msPerUnit: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Returns the milliseconds of `250ms`, `90s`, `5m`, `1.5h`, `7d` or `0`; undefined for any other text. */
export function durationMs(text: string): number | undefined {
  if (text === '0') return 0;
  const [, amount, unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$/.exec(text) ?? [];
  return amount === undefined ? undefined : Math.round(Number(amount) * (msPerUnit[unit] ?? 0));
}

/** Returns a duration as it is typed: `200ms`, `30s`, `90m`, `7d`. */
export function exactDurationText(ms: number): string {
  const [unit = 'ms', length = 1] = Object.entries(msPerUnit).findLast(([, each]) => ms % each === 0) ?? [];
  return ms === 0 ? '0' : `${ms / length}${unit}`;
}

const unitSpellings: readonly (readonly [RegExp, (amount: number) => string])[] = [
  [/^w(eeks?)?$/i, (amount) => `${7 * amount}d`],
  [/^d(ays?)?$/i, (amount) => `${amount}d`],
  [/^h(ours?|rs?)?$/i, (amount) => `${amount}h`],
  [/^m(in|inutes?|ins)?$/i, (amount) => `${amount}m`],
  [/^s(ec|econds?|ecs)?$/i, (amount) => `${amount}s`],
];

/** Returns the probable duration: `7d` for `1w`, `5m` for `5 min`, and `8h` for `8` if the `bareUnit` is h. */
export function suggestDuration(text: string, bareUnit?: 'h' | 's' | 'ms'): string | undefined {
  if (text === 'yesterday') return '24h';
  const [, amount = '', word = ''] = /^(\d{1,6}) ?([a-z]*)$/i.exec(text) ?? [];
  if (amount === '') return undefined;
  if (word === '') return bareUnit && `${amount}${bareUnit}`;
  return unitSpellings.find(([spelling]) => spelling.test(word))?.[1](Number(amount));
}

const daySource = String.raw`(\d{4}-\d\d-\d\d)`;
const timeSource = String.raw`(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?`;
const zoneSource = String.raw`(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)`;
const isoPattern = new RegExp(`^${daySource}(?:T${timeSource}${zoneSource})?$`);

/** Reads a date (midnight UTC), or a time with its zone, in ISO 8601. Returns undefined for any other text. */
export function readMoment(text: string): Date | undefined {
  const [, date] = isoPattern.exec(text) ?? [];
  // JavaScript reads 30 February as a day in March, so the read date is compared with the typed date.
  const midnight = new Date(`${date}T00:00:00Z`);
  const isRealDay = !Number.isNaN(midnight.getTime()) && midnight.toISOString().slice(0, 10) === date;
  return isRealDay ? new Date(text) : undefined;
}

/** Returns milliseconds since 1970. A missing or unreadable time counts as the oldest: 0. */
export function msOf(at: string | null): number {
  const ms = Date.parse(at ?? '');
  return Number.isNaN(ms) ? 0 : ms;
}

/** Returns `2025-01-02T03:04:05Z`, with milliseconds unless they are 0. */
export function isoText(moment: Date): string {
  return moment.toISOString().replace('.000Z', 'Z');
}

/** Three spellings: `2025-01-02T03:04:05Z`, an offset such as `+0000` for the `Z`, and `2025-01-02 03:04:05 UTC`. */
const instantPattern = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:\.\d{1,9})?) ?(?:(Z|UTC)|([+-]\d\d):?(\d\d))$/;

export function readInstant(text: string): Date | undefined {
  const match = instantPattern.exec(text);
  if (!match) return undefined;
  const [, day, time, utc, hours, minutes] = match;
  const moment = new Date(`${day}T${time}${utc ? 'Z' : `${hours}:${minutes}`}`);
  return Number.isNaN(moment.getTime()) ? undefined : moment;
}
