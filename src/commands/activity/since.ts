import { secondsIn } from '../../contract/values/age.ts';
import { momentIn } from '../../contract/values/moment.ts';
import { Problem } from '../../problems/problem.ts';

/** `2h` before now, or a date or time, in ms; throws usage for anything else. */
export function readSince(text: string, now: Date): number {
  const seconds = secondsIn(text);
  const ms = seconds === undefined ? momentIn(text)?.getTime() : now.getTime() - seconds * 1000;
  if (ms !== undefined) return ms;
  throw new Problem(
    'usage',
    `--since must be a duration such as 2h or 3d, or a time such as 2026-03-02 or 2026-03-02T18:45:00Z, not "${text}"`,
  );
}
