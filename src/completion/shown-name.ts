import { safeText } from '../output/gate/safe-text.ts';
import { readInstant, relativeText } from '../output/instant.ts';
import type { Candidate, Name } from './candidate.ts';

/**
 * A name as it may stand on a command line; undefined for one that would steer the terminal, pass for a flag, or end
 * the item it is part of.
 */
export function shownName({ value, about, at }: Name, separators: string, now: Date): Candidate | undefined {
  const isUnfit =
    value !== safeText(value) || value.startsWith('-') || [...separators].some((one) => value.includes(one));
  if (isUnfit) return undefined;
  const moment = at === undefined ? undefined : readInstant(at);
  const parts = [...(moment ? [relativeText(moment, now)] : []), about].filter((part) => part !== '');
  return { value, about: safeText(parts.join(', ')) };
}
