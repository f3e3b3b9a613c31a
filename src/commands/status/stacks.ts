import type { Context, FindStacks } from '../../contract/command.ts';
import { CliError, readOrUndefined } from '../../errors/cli-error.ts';
import { type StackRow, stacks } from '../../resources/stack.ts';
import { type ListStacks, noListText } from '../../targets/stack.ts';
import { readStackStatus, type StatusOptions, type StatusRead, type StatusTarget } from './read.ts';
import { type StackStatus, stackTitle } from './record.ts';
import { type Section, sections, statusParts } from './sections.ts';

/** Sections that are read of each of several stacks by default; each is one request. */
export const ofEachStack = sections.filter((section) => statusParts[section].isSummedUp);

/** The stacks that the service lists, and the chosen ones among them. Choosing throws not_found. */
export type StackChoice = Awaited<ReturnType<typeof allStacks>>;
export type ChooseStacks = () => Promise<StackChoice>;

export async function allStacks(context: Context) {
  return {
    rows: await readOrUndefined(context.call(stacks.list, {})),
    among: (rows: readonly StackRow[] | undefined): readonly StatusTarget[] => {
      if (rows) return rows.map((row) => ({ uid: row.uid, row }));
      const hint = 'give the UID of a stack with -s';
      throw new CliError('not_found', noListText(context.host.settings.get('account').value), { hint });
    },
  };
}

/** All are found before any is read. */
export async function namedStacks(find: FindStacks, list: ListStacks): Promise<StackChoice> {
  const uids = await find();
  return {
    rows: await list(),
    among: (rows) =>
      uids.map((uid) => {
        const row = rows?.find((one) => one.uid === uid);
        if (row) return { uid, row };
        if (rows) throw new CliError('not_found', `stack "${uid}" not found`, { hint: { path: 'stack list' } });
        return { uid };
      }),
  };
}

export async function statusOfStacks(
  context: Context,
  choose: ChooseStacks,
  options: StatusOptions,
): Promise<readonly StackStatus[]> {
  const { rows, among } = await choose();
  const read = await Promise.all(among(rows).map((target) => readStackStatus(context, target, options)));
  failIfAllFailed(read);
  return errorsFirst(read);
}

export function failIfAllFailed(read: readonly StatusRead[]): void {
  const failures = read.flatMap(({ failure }) => failure ?? []);
  if (failures[0] && failures.length === read.length) throw failures[0];
}

/** Stacks with problems, then those with sections that could not be read, then the others. */
export function errorsFirst(read: readonly StatusRead[]): readonly StackStatus[] {
  return read.map(({ status }) => status).toSorted((one, other) => rankOf(one) - rankOf(other));
}

function rankOf({ problems, errors }: StackStatus): number {
  if (problems.length > 0) return 0;
  return errors.length > 0 ? 1 : 2;
}

/** Throws operation_failed for problems, else unavailable where a needed section could not be read. */
export function judge(value: StackStatus | readonly StackStatus[], needed: readonly Section[]): void {
  const found = 'uid' in value ? [value] : value;
  const partial = { value };
  if (found.length === 0) throw new CliError('not_found', 'there is no stack to check', { partial });
  const bad = sentenceOf(found, ({ problems }) => problems);
  if (bad !== undefined) throw new CliError('operation_failed', bad, { partial });
  const all: readonly string[] = ['stack', ...needed];
  const blind = sentenceOf(found, ({ errors }) => {
    const unread = errors.filter(({ section }) => all.includes(section));
    return unread.map(({ section, message }) => `${section} could not be read: ${message}`);
  });
  if (blind !== undefined) throw new CliError('unavailable', blind, { partial });
}

function sentenceOf(
  found: readonly StackStatus[],
  faultsOf: (status: StackStatus) => readonly string[],
): string | undefined {
  const all = found.map((status) => ({ title: stackTitle(status), faults: faultsOf(status).join(', ') }));
  const faulty = all.filter(({ faults }) => faults !== '');
  const [first, ...more] = faulty;
  if (!first) return undefined;
  if (more.length === 0) return `${first.title}: ${first.faults}`;
  return `${faulty.length} stacks: ${faulty.map(({ title, faults }) => `${title} (${faults})`).join(', ')}`;
}
