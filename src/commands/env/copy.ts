import type { Context } from '../../contract/command.ts';
import { flag, many, optional, text, type Values } from '../../contract/field.ts';
import { findAmong, readAll } from '../../kinds/resource/find.ts';
import { write } from '../../kinds/write.ts';
import { findStack, stackList } from '../../places/stack.ts';
import { Problem } from '../../problems/problem.ts';
import { applyStrategy, environments, type Variable, variable } from '../../resources/env.ts';
import { settingText } from '../../resources/setting.ts';
import { inStack } from '../../resources/shared.ts';
import { planChangeSet } from './change-set.ts';
import { isOwnedBy } from './owner.ts';
import { isAsWanted, variableChangeRecord } from './variable-change.ts';

const params = {
  stack_id: inStack,
  keys: optional(
    many(text('Name of an environment variable.'), 'Environment variables to copy.', {
      label: 'KEY',
    }),
  ),
  from: text('Stack to copy from.', { names: 'stack' }),
  all: optional(flag('Copy all that users made, without passwords.')),
  secrets: optional(flag('With --all: copy passwords too.')),
  overwrite: optional(flag('Replace values that differ.')),
  apply_strategy: applyStrategy,
};
type CopyInput = Values<typeof params>;

/** `env copy`: variables of one stack, set in another. */
export const copy = write({
  about: 'Copy environment variables from another stack.',
  params,
  positionals: ['keys'],
  examples: [
    'stackops stack env copy CURRENCY MAIL_FROM --from shop/production -s blog/staging -y',
    'stackops stack env copy --all --overwrite --from shop/production -s blog/staging --dry-run',
  ],
  calls: [environments.list, environments.create, environments.update],
  record: variableChangeRecord,
  isList: true,
  confirm: { level: 'yes', act: 'Change the environment variables of' },
  plan: async (context, input) => {
    const { stack_id, apply_strategy } = input;
    const wanted = await wantedOf(context, input);
    const known = await readAll(context, variable, input);
    refuseOverwriting(wanted, known, input);
    const set = wanted.map(({ key, value }) => ({ key, value: settingText(value) }));
    return planChangeSet(context, set, { stack_id, known, origin: 'stack', apply_strategy });
  },
});

async function wantedOf(context: Context, input: CopyInput): Promise<readonly Variable[]> {
  const { keys, all, secrets, from, stack_id } = input;
  if ((keys === undefined) === !all) throw new Problem('usage', 'name the variables to copy, or give --all');
  if (secrets && !all) throw new Problem('usage', '--secrets goes with --all; a password that is named is copied');
  const { uid } = await findStack(stackList(context.call), from);
  if (uid === stack_id) throw new Problem('usage', '--from and --stack name the same stack');
  const source = { stack_id: uid };
  const rows = await readAll(context, variable, source);
  if (keys) return [...new Set(keys)].map((key) => findAmong(variable, rows, key, source));
  return rows.filter((row) => isOwnedBy(row) && (secrets || row.is_password === false));
}

function refuseOverwriting(wanted: readonly Variable[], known: readonly Variable[], { overwrite }: CopyInput): void {
  if (overwrite) return;
  const differing = wanted.filter(({ key, value }) => {
    const existing = known.find((row) => row.key === key);
    return existing && !isAsWanted(existing, settingText(value));
  });
  if (differing.length === 0) return;
  const names = differing.map(({ key }) => key).join(', ');
  throw new Problem('rejected', `${names} would get another value; nothing was changed`, {
    retry: { with: ['--overwrite'] },
  });
}
