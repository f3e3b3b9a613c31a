import { durationMs, meantDuration } from '../../contract/values/duration.ts';
import { momentIn } from '../../contract/values/moment.ts';
import { Problem } from '../../problems/problem.ts';

/** `2h` before now, or a date or time, in ms; throws usage for anything else. */
export function readSince(text: string, now: Date): number {
  const age = durationMs(text);
  const ms = age === undefined ? momentIn(text)?.getTime() : now.getTime() - age;
  if (ms !== undefined) return ms;
  const by = meantDuration(text, 'h');
  throw new Problem(
    'usage',
    `--since must be a duration such as 2h or 3d, or a time such as 2026-03-02 or 2026-03-02T18:45:00Z, not "${text}"`,
    by === undefined ? {} : { retry: { meant: { given: text, by, at: '--since' } } },
  );
}
