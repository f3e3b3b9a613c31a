import { readFileSync, statSync } from 'node:fs';
import { replaceFile } from './replace-file.ts';

const lineFeed = 0x0a;

/** Keeps the newest half of a log that has so many bytes, beginning with a whole line. */
export function dropOldestLines(log: string, mostBytes: number): void {
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) < mostBytes) return;
  const newest = readFileSync(log).subarray(-mostBytes / 2);
  replaceFile(log, newest.subarray(newest.indexOf(lineFeed) + 1), { force: true });
}
