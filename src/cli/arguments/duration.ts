import { durationMs, meantDuration } from '../../contract/values/time.ts';
import { Problem } from '../../problems/problem.ts';

interface Spoken {
  /** Named in messages: `--ttl`. */
  readonly shown: string;
  /** The unit of a number without one, in the hint. */
  readonly usual: 'h' | 's' | 'ms';
}

/** Milliseconds; throws usage for what has no unit, with the command as it was probably meant. */
export function readDuration(text: string, { shown, usual }: Spoken): number {
  const ms = durationMs(text);
  if (ms !== undefined) return ms;
  const such = usual === 'ms' ? '200ms or 2s' : '90s, 5m, 8h or 7d';
  const by = meantDuration(text, usual);
  throw new Problem('usage', `${shown} must be a duration such as ${such}, not "${text}"`, {
    ...(by !== undefined && { retry: { meant: { given: text, by, at: shown } } }),
  });
}
