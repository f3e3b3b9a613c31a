/** `12:00:15 UTC` */
export function clockText(at: Date): string {
  return `${at.toISOString().slice(11, 19)} UTC`;
}

/** `45s`, `2m 5s`, `1h 2m`: how long something took, for people. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const parts =
    hours > 0 ? [`${hours}h`, `${minutes}m`] : [...(minutes > 0 ? [`${minutes}m`] : []), `${seconds % 60}s`];
  return parts.filter((part) => !/^0/.test(part)).join(' ') || '0s';
}
