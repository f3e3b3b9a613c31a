/** `12:00:15 UTC` */
export function clockText(at: Date): string {
  return `${at.toISOString().slice(11, 19)} UTC`;
}
