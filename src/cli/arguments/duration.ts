import { durationMs, meantDuration } from '../../contract/values/duration.ts';
import { Problem, type Retry } from '../../problems/problem.ts';

interface Spoken {
  /** Named in messages: `--ttl`. */
  readonly shown: string;
  /** The unit of a number without one, in the hint. */
  readonly usual: 'h' | 's' | 'ms';
  /** How the command is mended. */
  readonly mended: (meant: string) => Retry;
}

/** Milliseconds; throws usage for what has no unit, with the command as it was probably meant. */
export function readDuration(text: string, { shown, usual, mended }: Spoken): number {
  const ms = durationMs(text);
  if (ms !== undefined) return ms;
  const such = usual === 'ms' ? '200ms or 2s' : '90s, 5m, 8h or 7d';
  const meant = meantDuration(text, usual);
  throw new Problem('usage', `${shown} must be a duration such as ${such}, not "${text}"`, {
    ...(meant !== undefined && { retry: mended(meant) }),
  });
}
