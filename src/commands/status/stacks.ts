import type { Context, FindStacks } from '../../contract/command.ts';
import { CliError, readOrUndefined } from '../../errors/cli-error.ts';
import { type StackRow, stacks } from '../../resources/stack.ts';
import { type ListStacks, noListText } from '../../targets/stack.ts';
import { readStackStatus, type StatusOptions, type StatusRead, type StatusTarget } from './read.ts';
import { type StackStatus, stackTitle } from './record.ts';
import { type StatusSection, sections, statusParts } from './sections.ts';

/** The sections that are read by default of each of several stacks. Each takes one request. */
export const sectionsForSeveralStacks = sections.filter((section) => statusParts[section].isInStackSummary);

/**
 * `rows` are the stacks that the service lists; undefined if it does not list stacks. `chooseFrom` returns the chosen
 * stacks. Throws `not_found` for a chosen stack that is not listed, or if all stacks are chosen and none are listed.
 */
export type StackChoice = Awaited<ReturnType<typeof chooseAllStacks>>;
export type ChooseStacks = () => Promise<StackChoice>;

export async function chooseAllStacks(context: Context) {
  return {
    rows: await readOrUndefined(context.call(stacks.list, {})),
    chooseFrom: (rows: readonly StackRow[] | undefined): readonly StatusTarget[] => {
      if (rows) return rows.map((row) => ({ uid: row.uid, row }));
      const hint = 'give the UID of a stack with -s';
      throw new CliError('not_found', noListText(context.host.settings.get('account').value), { hint });
    },
  };
}

/** Returns the choice of the stacks that `-s` names. All names are resolved before a stack is read. */
export async function chooseNamedStacks(find: FindStacks, listStacks: ListStacks): Promise<StackChoice> {
  const uids = await find();
  return {
    rows: await listStacks(),
    chooseFrom: (rows) =>
      uids.map((uid) => {
        const row = rows?.find((one) => one.uid === uid);
        if (row) return { uid, row };
        if (rows) throw new CliError('not_found', `stack "${uid}" not found`, { hint: { path: 'stack list' } });
        return { uid };
      }),
  };
}

export async function statusOfStacks(context: Context, chooseStacks: ChooseStacks, options: StatusOptions) {
  const { rows, chooseFrom } = await chooseStacks();
  const reads = await Promise.all(chooseFrom(rows).map((target) => readStackStatus(context, target, options)));
  throwIfAllFailed(reads);
  return sortProblemsFirst(reads);
}

export function throwIfAllFailed(reads: readonly StatusRead[]): void {
  const failures = reads.flatMap(({ failure }) => failure ?? []);
  if (failures[0] && failures.length === reads.length) throw failures[0];
}

/** Returns the stacks with problems, then the stacks with unread sections, then all other stacks. */
export function sortProblemsFirst(reads: readonly StatusRead[]): readonly StackStatus[] {
  return reads.map(({ status }) => status).toSorted((one, other) => problemRank(one) - problemRank(other));
}

function problemRank({ problems, errors }: StackStatus): number {
  if (problems.length > 0) return 0;
  return errors.length > 0 ? 1 : 2;
}

/** Throws `operation_failed` if a stack has problems, else `unavailable` if a needed section could not be read. */
export function assertHealthy(
  value: StackStatus | readonly StackStatus[],
  neededSections: readonly StatusSection[],
): void {
  const statuses = 'uid' in value ? [value] : value;
  const partial = { value };
  if (statuses.length === 0) throw new CliError('not_found', 'there is no stack to check', { partial });
  const problemText = faultSentence(statuses, ({ problems }) => problems);
  if (problemText !== undefined) throw new CliError('operation_failed', problemText, { partial });
  const neededNames: readonly string[] = ['stack', ...neededSections];
  const unreadText = faultSentence(statuses, ({ errors }) => {
    const neededErrors = errors.filter(({ section }) => neededNames.includes(section));
    return neededErrors.map(({ section, message }) => `${section} could not be read: ${message}`);
  });
  if (unreadText !== undefined) throw new CliError('unavailable', unreadText, { partial });
}

/** Returns `shop/production: server web-1 is failed`, or a sentence about several stacks; undefined without a fault. */
function faultSentence(statuses: readonly StackStatus[], faultsOf: (status: StackStatus) => readonly string[]) {
  const stacks = statuses.map((status) => ({ title: stackTitle(status), faults: faultsOf(status).join(', ') }));
  const faultyStacks = stacks.filter(({ faults }) => faults !== '');
  const [first, ...more] = faultyStacks;
  if (!first) return undefined;
  if (more.length === 0) return `${first.title}: ${first.faults}`;
  return `${faultyStacks.length} stacks: ${faultyStacks.map(({ title, faults }) => `${title} (${faults})`).join(', ')}`;
}
