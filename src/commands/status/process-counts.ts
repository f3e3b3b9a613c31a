import type { ProcessRow } from '../../resources/process.ts';

/** How many instances of a process run, and whether its servers run different numbers of them. */
export function countsOf({ servers }: Pick<ProcessRow, 'servers'>): {
  readonly total: number;
  readonly isUneven: boolean;
} {
  const counts = Object.values(servers ?? {});
  return { total: counts.reduce((sum, count) => sum + count, 0), isUneven: new Set(counts).size > 1 };
}
