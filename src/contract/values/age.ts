const units = [
  ['y', 31_536_000, 2],
  ['d', 86_400, 2],
  ['h', 3600, 1],
  ['m', 60, 1],
] as const;

/** `2y`, `3d`, `12h`, `5m`, `40s`: seconds in the largest unit that fits, rounded down. Years and days begin at two. */
export function ageText(seconds: number): string {
  const unit = units.find(([, length, least]) => seconds >= least * length);
  return unit ? `${Math.floor(seconds / unit[1])}${unit[0]}` : `${seconds}s`;
}

/** `3m ago`, `in 2d`. */
export function relativeText(moment: Date, now: Date): string {
  const seconds = Math.trunc((now.getTime() - moment.getTime()) / 1000);
  return seconds < 0 ? `in ${ageText(-seconds)}` : `${ageText(seconds)} ago`;
}
