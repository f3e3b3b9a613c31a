import { Problem } from '../../problems/problem.ts';
import { stackTitle } from './lines.ts';
import type { Section, StackStatus } from './record.ts';

/** Throws operation_failed for problems, else unavailable where a needed section could not be read. */
export function judge(value: StackStatus | readonly StackStatus[], needed: readonly Section[]): void {
  const found = 'uid' in value ? [value] : value;
  const partial = { value };
  if (found.length === 0) throw new Problem('not_found', 'there is no stack to check', { partial });
  const bad = sentenceOf(found, ({ problems }) => problems);
  if (bad !== undefined) throw new Problem('operation_failed', bad, { partial });
  const blind = sentenceOf(found, ({ errors }) =>
    errors
      .filter(({ section }) => section === 'stack' || needed.some((one) => one === section))
      .map(({ section, message }) => `${section} could not be read: ${message}`),
  );
  if (blind !== undefined) throw new Problem('unavailable', blind, { partial });
}

/** Stacks with problems, then those with sections that could not be read, then the others. */
export function problemsFirst(found: readonly StackStatus[]): readonly StackStatus[] {
  return found.toSorted((one, other) => rankOf(one) - rankOf(other));
}

function rankOf({ problems, errors }: StackStatus): number {
  if (problems.length > 0) return 0;
  return errors.length > 0 ? 1 : 2;
}

/** `shop/production: deployment 1042 failed`; of several stacks `2 stacks: shop/production (…), blog/staging (…)`. */
function sentenceOf(
  found: readonly StackStatus[],
  faultsOf: (status: StackStatus) => readonly string[],
): string | undefined {
  const faulty = found
    .map((status) => ({ title: stackTitle(status), faults: faultsOf(status).join(', ') }))
    .filter(({ faults }) => faults !== '');
  const [first, ...more] = faulty;
  if (!first) return undefined;
  if (more.length === 0) return `${first.title}: ${first.faults}`;
  return `${faulty.length} stacks: ${faulty.map(({ title, faults }) => `${title} (${faults})`).join(', ')}`;
}
