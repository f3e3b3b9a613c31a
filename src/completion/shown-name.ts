import { relativeText } from '../contract/values/age.ts';
import { safeText } from '../output/gate/safe-text.ts';
import { readInstant } from '../output/instant.ts';
import type { Candidate, Name } from './candidate.ts';

/** A name as a candidate. Undefined if it contains control characters, looks like a flag, or contains a separator. */
export function shownName({ value, about, at }: Name, separators: string, now: Date): Candidate | undefined {
  const isUnfit =
    value !== safeText(value) || value.startsWith('-') || [...separators].some((one) => value.includes(one));
  if (isUnfit) return undefined;
  const moment = at === undefined ? undefined : readInstant(at);
  const parts = [...(moment ? [relativeText(moment, now)] : []), about].filter((part) => part !== '');
  return { value, about: safeText(parts.join(', ')) };
}
