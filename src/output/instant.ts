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
