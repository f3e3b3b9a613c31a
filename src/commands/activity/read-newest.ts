import type { CallMore } from '../../contract/command.ts';
import { recent } from '../../resources/deployment.ts';

export interface Numbered {
  readonly id: number | null;
}

export type ReadRows<Row> = (more: CallMore) => Promise<readonly Row[]>;

interface Until<Row> {
  /** Whether a row is older than what is wanted. */
  readonly isBefore: (row: Row) => boolean;
  readonly signal: AbortSignal;
}

/** One page of a list, where its rows come newest first and reach back far enough; otherwise all of the list, as no order is documented. */
export async function readNewest<Row extends Numbered>(
  read: ReadRows<Row>,
  { isBefore, signal }: Until<Row>,
): Promise<readonly Row[]> {
  const first = await read({ limit: recent, signal });
  const last = first.at(-1);
  const isAll = first.length < recent;
  return isAll || (last && isBefore(last) && isNewestFirst(first)) ? first : read({ signal });
}

function isNewestFirst(rows: readonly Numbered[]): boolean {
  return rows.every(({ id }, at) => at === 0 || Number(id) < Number(rows[at - 1]?.id));
}
