import { customCommand } from '../../builders/custom-command.ts';
import type { Context, Menu } from '../../contract/command.ts';
import { flag, nullable, oneOf, optional, secret, text } from '../../contract/field.ts';
import { type RecordOf, record } from '../../contract/record.ts';
import { rows } from '../../contract/reply.ts';
import { groupBy } from '../../contract/values/group-by.ts';
import { mask, maskMembers } from '../../contract/values/text.ts';
import { CliError } from '../../errors/cli-error.ts';
import { deployments, liveDeploymentIn, recentLimit } from '../../resources/deployment.ts';
import { stacks } from '../../resources/stack.ts';
import { entryPathOf, isTagsPath } from '../../state/entry.ts';
import { findStack } from '../../targets/stack.ts';
import { warnOfOmitted } from '../env/variable.ts';
import { createStackReader, fileSections } from './compare-file.ts';
import { shownText } from './rows.ts';
import type { StackItem } from './section.ts';
import { type FileInput, fileParams } from './stack-file.ts';

const differenceStates = ['same', 'only_a', 'only_b', 'differs'] as const;

const StackDifference = record(
  'difference',
  {
    path: text('Its path, such as env.KEY; servers are compared by role.'),
    state: oneOf(differenceStates, 'Whether both stacks have it, and with one value.'),
    a: nullable(secret(text('Value in the first stack; `***` for a secret.'))),
    b: nullable(secret(text('Value in the second stack; `***` for a secret.'))),
  },
  ['path', 'state', 'a', 'b'],
  // `compareSides` masks the secrets, because a row does not tell which values are secret.
  { isSecret: () => false },
);
type StackDifference = RecordOf<typeof StackDifference>;

export const diffCommands: Menu = {
  diff: customCommand({
    about: 'Compare two stacks.',
    params: {
      a: text('UID or exact name of the first stack.', { nameKind: 'stack', label: 'A' }),
      b: text('UID or exact name of the second stack.', { nameKind: 'stack', label: 'B' }),
      only: fileParams.only,
      exit_code: optional(flag('Exit with 10 if they differ.')),
    },
    positionals: ['a', 'b'],
    examples: [
      'stackops diff blog/staging blog/production',
      'stackops diff blog/staging blog/production --only env,settings',
    ],
    calls: [stacks.list, deployments.list, ...fileSections.flatMap(({ reads }) => reads)],
    reply: rows(StackDifference),
    isRead: true,
    exits: [[10, 'with --exit-code: the stacks differ']],
    run: async (context, { a, b, only, exit_code }) => {
      const stackRows = await Promise.all([a, b].map((name) => findStack(context.host.listStacks, name)));
      if (new Set(stackRows.map(({ uid }) => uid)).size === 1)
        throw new CliError('usage', `${a} and ${b} are the same stack`);
      const sides = await Promise.all(stackRows.map(({ uid }) => readItemsByPath(context, uid, only)));
      const differences = await context.matching(compareSides(context, sides), StackDifference.fields);
      const count = differences.filter(isDifferent).length;
      if (!exit_code || count === 0) return differences;
      const message = count === 1 ? 'one path differs' : `${count} paths differ`;
      throw new CliError('differs', message, { partial: { value: differences } });
    },
    present: (differences, { a, b }, { terminal }) => {
      const { fields } = StackDifference;
      const headedFields = { ...fields, a: { ...fields.a, heading: a }, b: { ...fields.b, heading: b } };
      return {
        kind: 'table',
        record: { ...StackDifference, fields: headedFields },
        rows: differences.filter(isDifferent),
        empty: 'No difference.',
        // Paths are long, so a table with two columns of values would not fit on a terminal.
        ...(terminal && { text: (shownRows) => shownRows.map((row) => differenceLine(row as StackDifference)) }),
      };
    },
  }),
};

/** Returns `~ env.LOG_LEVEL  debug | info`; `-` marks a path that only the first stack has, `+` only the second. */
function differenceLine({ path, state, a, b }: StackDifference): string {
  if (state === 'only_a') return `- ${path}  ${shownText(a)}`;
  if (state === 'only_b') return `+ ${path}  ${shownText(b)}`;
  return `~ ${path}  ${shownText(a)} | ${shownText(b)}`;
}

function isDifferent({ state }: StackDifference): boolean {
  return state !== 'same';
}

/** The items of one stack by path; items of servers once for each role, because two stacks have different servers. */
type ItemsByPath = ReadonlyMap<string, readonly ComparedItem[]>;
type ComparedItem = Pick<StackItem, 'path' | 'value' | 'isSecret' | 'isHidden' | 'isGenerated'>;

async function readItemsByPath(context: Context, stack_id: string, only: FileInput['only']): Promise<ItemsByPath> {
  const reader = createStackReader(context, stack_id);
  const chosenSections = fileSections.filter(({ name }) => only === undefined || only.includes(name));
  const [live, ...lists] = await Promise.all([
    only ? undefined : context.call(deployments.list, { stack_id }, { limit: recentLimit }).then(liveDeploymentIn),
    ...chosenSections.map((section) => section.read(reader)),
  ]);
  const managedItems = lists.flat().filter(({ unmanagedReason }) => !unmanagedReason);
  const commitItems = live ? [{ path: 'live.commit', value: live.git_hash ?? null, isSecret: false }] : [];
  const itemsByPath = groupBy([...commitItems, ...managedItems.flatMap(itemsForRoles)], ({ path }) => path);
  // A role whose servers have no tags is left out, so the stack equals one that has no servers of the role.
  const hasTags = ({ value }: ComparedItem) => value !== '';
  return new Map([...itemsByPath].filter(([path, items]) => !isTagsPath(path) || items.some(hasTags)));
}

function itemsForRoles({ server, ...item }: StackItem): readonly ComparedItem[] {
  if (!server) return [item];
  return (server.server_roles ?? []).map((role) => ({ ...item, path: entryPathOf({ ...item, server: `@${role}` }) }));
}

function compareSides(context: Context, stackItems: readonly ItemsByPath[]): readonly StackDifference[] {
  const hiddenRows: { readonly key: string }[] = [];
  const paths = new Set(stackItems.flatMap((itemsByPath) => [...itemsByPath.keys()]));
  const differences = [...paths].flatMap((path): readonly StackDifference[] => {
    const sides = stackItems.map((one) => one.get(path));
    const items = sides.flatMap((items = []) => items);
    // The service generates another value for each stack, so these values are not compared.
    if (items.every(({ isGenerated }) => isGenerated)) return [];
    if (sides.every(Boolean) && items.some(({ isHidden }) => isHidden)) {
      hiddenRows.push({ key: path });
      return [];
    }
    const [a, b] = sides.map(itemsText);
    const values = { a: a ?? null, b: b ?? null };
    const isMasked = !context.reveal && items.some(({ isSecret }) => isSecret);
    return [{ path, state: differenceState(a, b), ...(isMasked ? maskMembers(values) : values) }];
  });
  warnOfOmitted(context, hiddenRows);
  return differences;
}

function differenceState(a: string | undefined, b: string | undefined): StackDifference['state'] {
  if (a === undefined) return 'only_b';
  if (b === undefined) return 'only_a';
  return a === b ? 'same' : 'differs';
}

function itemsText(items: readonly ComparedItem[] | undefined): string | undefined {
  const texts = items && [...new Set(items.map(({ value, isHidden }) => (isHidden ? mask : (value ?? ''))))].toSorted();
  return texts && (texts.length > 1 ? texts.map((text) => text || '""').join(' | ') : texts[0]);
}
