import { Problem } from '../../problems/problem.ts';
import { stackTitle } from './lines.ts';
import type { Section, Status } from './record.ts';

/** Throws operation_failed for problems, else unavailable where a needed section could not be read. */
export function judge(value: Status | readonly Status[], needed: readonly Section[]): void {
  const found = [value].flat() as readonly Status[];
  const bad = found.filter(({ problems }) => problems.length > 0);
  const partial = { value };
  if (bad.length > 0) {
    const message = bad.map((status) => `${stackTitle(status)}: ${status.problems.join(', ')}`).join('; ');
    throw new Problem('operation_failed', message, { partial });
  }
  const blind = found.flatMap((status) =>
    status.errors
      .filter(({ section }) => needed.some((one) => one === section))
      .map(({ section, message }) => `${stackTitle(status)}: ${section} could not be read: ${message}`),
  );
  if (blind.length > 0) throw new Problem('unavailable', blind.join('; '), { partial });
}
