import type { Question } from '../../contract/plan.ts';
import { missingFrom, tagsText } from './difference.ts';
import type { Tagging } from './work.ts';

/** What a question says before reserved tags go; undefined where none does. */
export function askAboutReserved(all: readonly Tagging[]): Question | undefined {
  const losing = all
    .map(({ name, reserved, after }) => ({ name, lost: missingFrom(after, reserved) }))
    .filter(({ lost }) => lost.length > 0);
  if (losing.length === 0) return undefined;
  return {
    name: losing.map(({ name }) => name).join(','),
    facts: () => losing.map(({ lost }) => `${lost.join(', ')}; no undo`),
  };
}

/** All that goes, by the ids of what is tagged. */
export function askAboutAll(all: readonly Tagging[]): Question {
  return {
    name: all.map(({ id }) => `${id.entity_type}/${id.entity_id}`).join(','),
    facts: () =>
      all.map(({ name, before, after }) => {
        const going = tagsText(missingFrom(after, before));
        return all.length === 1 ? going : `${name}: ${going}`;
      }),
  };
}
