import type { Context } from '../../contract/command.ts';
import type { ListStacks } from '../../places/stack.ts';
import { Problem } from '../../problems/problem.ts';
import { unlessUnreadable } from '../../problems/unreadable.ts';
import { type StackRow, stacks } from '../../resources/stack.ts';
import { readStackStatus, type StatusOptions, type StatusRead } from './read.ts';
import type { Section, StackStatus } from './record.ts';
import type { StatusTarget } from './sections.ts';
import { problemsFirst } from './verdict.ts';

/** What is read of each of several stacks, unless more is asked for; each section is one request. */
export const ofEachStack: readonly Section[] = ['deployment', 'servers'];

/** Which stacks a row is shown for. */
export interface StackChoice {
  /** Those that the service lists, read for the first time; undefined where it lists none. */
  readonly list: ListStacks;
  /** The chosen ones among those that are listed; throws not_found. */
  readonly among: (rows: readonly StackRow[] | undefined) => readonly StatusTarget[];
}

export function allStacks(context: Context): StackChoice {
  return {
    list: () => unlessUnreadable(context.call(stacks.list, {})),
    among: (rows) => {
      if (rows) return rows.map((row) => ({ uid: row.uid, row }));
      const hint = 'give the UID of a stack with -s';
      throw new Problem('not_found', 'this service or token does not list stacks', { hint });
    },
  };
}

/** All are found before any is read. */
export function namedStacks(find: () => Promise<readonly string[]>, list: ListStacks): StackChoice {
  let uids: readonly string[] = [];
  return {
    list: async () => {
      uids = await find();
      return list();
    },
    among: (rows) =>
      uids.map((uid) => {
        const row = rows?.find((one) => one.uid === uid);
        if (row) return { uid, row };
        if (rows) throw new Problem('not_found', `stack "${uid}" not found`, { hint: { path: 'stack list' } });
        return { uid };
      }),
  };
}

export async function statusOfStacks(
  context: Context,
  { list, among }: StackChoice,
  options: StatusOptions,
): Promise<readonly StackStatus[]> {
  const targets = among(await list());
  const read = await Promise.all(targets.map((target) => readStackStatus(context, target, options)));
  failIfAllFailed(read);
  return problemsFirst(read.map(({ status }) => status));
}

export function failIfAllFailed(read: readonly StatusRead[]): void {
  const failures = read.flatMap(({ failure }) => failure ?? []);
  if (failures[0] && failures.length === read.length) throw failures[0];
}
