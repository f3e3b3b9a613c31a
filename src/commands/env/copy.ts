import { findAmong, readAll } from '../../builders/resource/find.ts';
import { write } from '../../builders/write.ts';
import type { Context } from '../../contract/command.ts';
import { flag, many, optional, text, type Values } from '../../contract/field.ts';
import { stackParam } from '../../contract/params.ts';
import type { Plan } from '../../contract/plan.ts';
import { CliError } from '../../errors/cli-error.ts';
import { type Variable, variable } from '../../resources/env.ts';
import { findStack, listStacksOnce } from '../../targets/stack.ts';
import { planChangeSet, type SourcedVariable } from './change-set.ts';
import { envChangeParams, redeployDeclaration } from './plan.ts';
import { refuseEmptying } from './set.ts';
import { isPlaceholder, ownerOf, textOrNullWord, valueOrNull } from './variable.ts';

const copyParams = {
  stack_id: stackParam,
  keys: optional(many(text('Name of an environment variable.'), 'Environment variables to copy.', { label: 'KEY' })),
  from: text('Stack to copy from.', { nameKind: 'stack', placeholder: 'stack' }),
  all: optional(flag('Copy all user variables except passwords.')),
  secrets: optional(flag('With --all: copy passwords too.')),
  overwrite: optional(flag('Replace values that differ.')),
  ...envChangeParams,
};
type CopyInput = Values<typeof copyParams>;

export const envCopyCommand = write({
  about: 'Copy environment variables from another stack.',
  params: copyParams,
  positionals: ['keys'],
  examples: [
    'stackops stack env copy CURRENCY MAIL_FROM --from shop/production -s blog/staging -y',
    'stackops stack env copy --all --overwrite --from shop/production -s blog/staging --dry-run',
  ],
  ...redeployDeclaration,
  confirm: { level: 'yes', act: 'Change variables of' },
  plan: async (context, input) => {
    const { keys, all, secrets } = input;
    if ((keys === undefined) === !all) {
      const correction = all ? undefined : { add: ['--all'] };
      throw new CliError('usage', 'give the variables to copy, or --all', { correction });
    }
    if (secrets && !all) throw new CliError('usage', '--secrets goes with --all; a password that is named is copied');
    const [rows, oldRows] = await Promise.all([readWantedRows(context, input), readAll(context, variable, input)]);
    const variables = rows.map((row) => copiedVariable(row, input));
    const plan = planChangeSet(context, variables, { ...input, oldRows, origin: 'stack' });
    if (!input.overwrite) refuseOverwriting(plan);
    if (!input.allow_empty) refuseEmptying(variables, oldRows);
    return plan;
  },
});

async function readWantedRows(context: Context, { keys, from, stack_id }: CopyInput): Promise<readonly Variable[]> {
  // The plan after a question reads the list again, because a name may belong to another stack by then.
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

function refuseOverwriting({ preview }: Plan): void {
  const keys = preview?.changes.filter(({ action }) => action === 'update').map(({ key }) => key) ?? [];
  if (keys.length === 0) return;
  const message = `${keys.join(', ')} ${keys.length === 1 ? 'has' : 'have'} another value already`;
  throw new CliError('rejected', message, { nothing: 'changed', correction: { add: ['--overwrite'] } });
}
