/** The service's three spellings: `2025-01-02T03:04:05Z`, an offset such as `+0000`, `2025-01-02 03:04:05 UTC`. */
const spelling = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:\.\d{1,9})?) ?(?:(Z|UTC)|([+-]\d\d):?(\d\d))$/;

/** The moment a text of the service names, or undefined when it names none. */
export function readInstant(text: string): Date | undefined {
  const match = spelling.exec(text);
  if (!match) return undefined;
  const [, day, time, utc, hours, minutes] = match;
  const found = new Date(`${day}T${time}${utc ? 'Z' : `${hours}:${minutes}`}`);
  return Number.isNaN(found.getTime()) ? undefined : found;
}

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** `3 minutes ago`, `in 2 days`, `just now`. */
export function relativeText(moment: Date, now: Date): string {
  const seconds = Math.trunc((now.getTime() - moment.getTime()) / 1000);
  const size = Math.abs(seconds);
  const unit = units.find(([, length]) => size >= length);
  if (!unit) return 'just now';
  const count = Math.floor(size / unit[1]);
  const words = `${count} ${unit[0]}${count === 1 ? '' : 's'}`;
  return seconds > 0 ? `${words} ago` : `in ${words}`;
}
