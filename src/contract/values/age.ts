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

const secondsPer: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** `90s`, `5m`, `2h`, `7d` in seconds; a plain number is seconds. Undefined for anything else. */
export function secondsIn(text: string): number | undefined {
  const [, digits, unit] = /^([0-9]{1,9})([smhd]?)$/.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits) * (secondsPer[unit || 's'] ?? 1);
}
