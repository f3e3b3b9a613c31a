import { findAmong, readAll } from '../../builders/resource/find.ts';
import { write } from '../../builders/write.ts';
import type { Context } from '../../contract/command.ts';
import { flag, many, optional, text, type Values } from '../../contract/field.ts';
import { stackParam } from '../../contract/params.ts';
import { CliError } from '../../errors/cli-error.ts';
import { environments, type Variable, variable } from '../../resources/env.ts';
import { findStack, listStacksOnce } from '../../targets/stack.ts';
import { planChangeSet, type SourcedVariable } from './change-set.ts';
import { applyParams, redeployCalls, redeployDeclaration } from './plan.ts';
import { refuseEmptying } from './set.ts';
import { isAsWanted, isPlaceholder, ownerOf, textOrNullWord, valueOrNull } from './variable.ts';

const params = {
  stack_id: stackParam,
  keys: optional(many(text('Name of an environment variable.'), 'Environment variables to copy.', { label: 'KEY' })),
  from: text('Stack to copy from.', { nameKind: 'stack', placeholder: 'stack' }),
  all: optional(flag('Copy all user variables except passwords.')),
  secrets: optional(flag('With --all: copy passwords too.')),
  overwrite: optional(flag('Replace values that differ.')),
  ...applyParams,
};
type CopyInput = Values<typeof params>;

export const copy = write({
  about: 'Copy environment variables from another stack.',
  params,
  positionals: ['keys'],
  examples: [
    'stackops stack env copy CURRENCY MAIL_FROM --from shop/production -s blog/staging -y',
    'stackops stack env copy --all --overwrite --from shop/production -s blog/staging --dry-run',
  ],
  calls: [...redeployCalls, environments.list, environments.create, environments.update],
  ...redeployDeclaration,
  confirm: { level: 'yes', act: 'Change variables of' },
  plan: async (context, input) => {
    const { keys, all, secrets } = input;
    if ((keys === undefined) === !all) {
      const correction = all ? undefined : { add: ['--all'] };
      throw new CliError('usage', 'give the variables to copy, or --all', { correction });
    }
    if (secrets && !all) throw new CliError('usage', '--secrets goes with --all; a password that is named is copied');
    const [wantedRows, oldRows] = await Promise.all([readWanted(context, input), readAll(context, variable, input)]);
    const variables = wantedRows.map((row) => copiedVariable(row, input));
    const plan = planChangeSet(context, variables, { ...input, oldRows, origin: 'stack' });
    if (!input.overwrite) refuseOverwriting(variables, oldRows);
    if (!input.allow_empty) refuseEmptying(variables, oldRows);
    return plan;
  },
});

async function readWanted(context: Context, { keys, from, stack_id }: CopyInput): Promise<readonly Variable[]> {
  const { uid } = await findStack(listStacksOnce(context.call), from);
  if (uid === stack_id) throw new CliError('usage', '--from and --stack name the same stack');
  const source = { stack_id: uid };
  const rows = await readAll(context, variable, source);
  if (keys) return [...new Set(keys)].map((key) => findAmong(variable, rows, key, source));
  return rows.filter((row) => ownerOf(row) === 'user');
}

function copiedVariable(row: Variable, { all, secrets }: CopyInput): SourcedVariable {
  const isPassword = row.is_password !== false;
  const copied = { key: row.key, value: textOrNullWord(row), isPassword };
  if (valueOrNull(row) === null) return { ...copied, skipReason: 'its value is null' };
  if (all && !secrets && isPassword) return { ...copied, skipReason: 'a password; --secrets copies it' };
  return isPlaceholder(row) ? { ...copied, refusal: 'the service sends *** instead of its value' } : copied;
}

function refuseOverwriting(set: readonly SourcedVariable[], oldRows: readonly Variable[]): void {
  const differing = set.filter(({ key, value, skipReason }) => {
    const oldRow = oldRows.find((row) => row.key === key);
    return skipReason === undefined && oldRow && !isAsWanted(oldRow, value);
  });
  if (differing.length === 0) return;
  const [names, have] = [differing.map(({ key }) => key).join(', '), differing.length === 1 ? 'has' : 'have'];
  const message = `${names} ${have} another value already`;
  throw new CliError('rejected', message, { nothing: 'changed', correction: { add: ['--overwrite'] } });
}
