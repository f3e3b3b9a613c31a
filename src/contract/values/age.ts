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
