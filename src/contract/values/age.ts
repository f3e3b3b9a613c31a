const units = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
] as const;

/** `3d`, `12h`, `5m`, `40s`: seconds in the largest unit that fits, rounded down. 24 to 47 hours are hours. */
export function ageText(seconds: number): string {
  const unit = units.find(([name, length]) => seconds >= (name === 'd' ? 2 * length : length));
  return unit ? `${Math.floor(seconds / unit[1])}${unit[0]}` : `${seconds}s`;
}

const longUnits = [
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
  const unit = longUnits.find(([, length]) => size >= length);
  if (!unit) return 'just now';
  const count = Math.floor(size / unit[1]);
  const words = `${count} ${unit[0]}${count === 1 ? '' : 's'}`;
  return seconds > 0 ? `${words} ago` : `in ${words}`;
}
