import type { Context } from '../../contract/command.ts';
import type { ListStacks } from '../../places/stack.ts';
import { Problem } from '../../problems/problem.ts';
import { unlessUnreadable } from '../../problems/unreadable.ts';
import { stacks } from '../../resources/stack.ts';
import { readStackStatus, type StatusOptions, type StatusTarget } from './read.ts';
import type { Section, StackStatus } from './record.ts';
import { problemsFirst } from './verdict.ts';

/** What is read of each of several stacks; each section is one request. */
export const ofEachStack: readonly Section[] = ['deployment', 'servers'];

/** All stacks of the service. At most two requests a stack. */
export async function statusOfAll(context: Context, options: StatusOptions): Promise<readonly StackStatus[]> {
  checkSections(options);
  const rows = await unlessUnreadable(context.call(stacks.list, {}));
  if (!rows) {
    const hint = 'give the UID of a stack with -s';
    throw new Problem('not_found', 'this service or token does not list stacks', { hint });
  }
  const targets = rows.map((row) => ({ uid: row.uid, row }));
  return statusOfEach(context, targets, options);
}

interface NamedStacks {
  readonly find: () => Promise<readonly string[]>;
  readonly list: ListStacks;
}

/** The named stacks, all found before any is read. At most two requests for each that is listed. */
export async function statusOfNamed(
  context: Context,
  { find, list }: NamedStacks,
  options: StatusOptions,
): Promise<readonly StackStatus[]> {
  checkSections(options);
  const uids = await find();
  const rows = await list();
  const targets = uids.map((uid): StatusTarget => {
    const row = rows?.find((one) => one.uid === uid);
    if (row) return { uid, row };
    if (rows) throw new Problem('not_found', `stack "${uid}" not found`, { hint: { path: 'stack list' } });
    return { uid };
  });
  return statusOfEach(context, targets, options);
}

function checkSections({ only }: StatusOptions): void {
  const requests = new Set(only.includes('pending') ? ['deployment', ...only] : only).size;
  if (requests <= 2) return;
  throw new Problem('usage', 'for several stacks, --only takes two sections; pending also reads the deployments', {
    retry: { meant: { given: only.join(','), by: 'deployment,backups' } },
  });
}

async function statusOfEach(
  context: Context,
  targets: readonly StatusTarget[],
  options: StatusOptions,
): Promise<readonly StackStatus[]> {
  const found = await Promise.all(targets.map((target) => readStackStatus(context, target, options)));
  const failures = found.flatMap(({ failure }) => failure ?? []);
  if (failures[0] && failures.length === found.length) throw failures[0];
  return problemsFirst(found.map(({ status }) => status));
}
