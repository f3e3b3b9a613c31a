import { customCommand } from '../../builders/custom-command.ts';
import { readAll } from '../../builders/resource/find.ts';
import type { Context } from '../../contract/command.ts';
import { many, oneOf, optional, text } from '../../contract/field.ts';
import { stackParam } from '../../contract/params.ts';
import { type RecordOf, record } from '../../contract/record.ts';
import { rows } from '../../contract/reply.ts';
import { CliError } from '../../errors/cli-error.ts';
import { environments, type Variable, variable } from '../../resources/env.ts';
import { readStackTitle } from '../../resources/stack.ts';
import { readOtherVariables, readUserVariables, refuseStackAsFile } from './diff.ts';
import { chosenEntries, formatFlag } from './import.ts';
import { valueOrNull } from './variable.ts';

const VariableCheck = record(
  'missing variable',
  {
    key: text('Name of the variable.'),
    state: oneOf(['missing', 'empty', 'ok'], 'Whether the stack has a value for it.'),
  },
  ['key', 'state'],
);
type VariableCheck = RecordOf<typeof VariableCheck>;

const params = {
  stack_id: stackParam,
  file: optional(text('File whose variables are needed, - for stdin.', { nameKind: 'file' })),
  keys: optional(many(text('Name of a variable in the file.'), 'Only these environment variables.', { label: 'KEY' })),
  with_stack: optional(text('Stack whose variables are needed.', { nameKind: 'stack', placeholder: 'stack' })),
  allow_empty: optional(many(text('Name of a variable.'), 'Variables that may be empty.', { placeholder: 'keys' })),
  format: formatFlag,
};

export const envCheckCommand = customCommand({
  about: 'Check that the variables of a file or a stack are set.',
  params,
  positionals: ['file', 'keys'],
  examples: [
    'stackops stack env check staging.env -s shop',
    'stackops stack env check --with-stack blog/staging -s blog/production',
  ],
  calls: [environments.list],
  reply: rows(VariableCheck),
  exits: [[10, 'a variable is missing or empty']],
  isRead: true,
  run: async (context, input) => {
    const { file = '', with_stack, stack_id, allow_empty } = input;
    if ((file === '') === (with_stack === undefined)) throw new CliError('usage', 'give one of: a file, --with-stack');
    if (file !== '') await refuseStackAsFile(context, file);
    const [neededRows, stackRows] = await Promise.all([
      // The file is read first, so a mistake in it is reported before any request.
      with_stack === undefined
        ? await chosenEntries(context, { ...input, file })
        : readOtherVariables(context, with_stack),
      readAll(context, variable, input),
    ]);
    const checks = await context.matching(checkRows(neededRows, stackRows, allow_empty), VariableCheck.fields);
    const why = faultIn(checks);
    if (why === undefined) return checks;
    throw new CliError('differs', `${context.host.stackTitle(stack_id)}: ${why}`, { why, partial: { value: checks } });
  },
  present: (checks) => ({
    kind: 'table',
    record: VariableCheck,
    rows: checks.filter(({ state }) => state !== 'ok'),
    empty: 'No variable is missing or empty.',
  }),
});

/** Throws `rejected` if a variable of a file is missing in a stack, or empty there. */
export async function requireVariables(context: Context, stack_id: string, file: string): Promise<void> {
  const neededRows = await chosenEntries(context, { file });
  const fault = faultIn(checkRows(neededRows, await readAll(context, variable, { stack_id })));
  if (fault === undefined) return;
  const hint = { path: 'stack env check', operands: [file], stack_id };
  const stack = await readStackTitle(context, stack_id);
  throw new CliError('rejected', `${stack}: ${fault}`, { nothing: 'sent', stack, ...(file !== '-' && { hint }) });
}

/** Returns the keys of user variables of the stack `other` that this stack lacks: missing here, or empty only here. */
export async function findMissingKeys(context: Context, stack_id: string, other: string): Promise<readonly string[]> {
  const [neededRows, stackRows] = await Promise.all([
    readUserVariables(context, other),
    readAll(context, variable, { stack_id }),
  ]);
  const emptyKeys = neededRows.filter((row) => !valueOrNull(row)).map(({ key }) => key);
  return checkRows(neededRows, stackRows, emptyKeys).flatMap(({ key, state }) => (state === 'ok' ? [] : key));
}

function checkRows(
  neededRows: readonly Pick<Variable, 'key'>[],
  stackRows: readonly Variable[],
  allowedEmptyKeys: readonly string[] = [],
): readonly VariableCheck[] {
  const rowsByKey = new Map(stackRows.map((row) => [row.key, row]));
  return neededRows.map(({ key }) => {
    const row = rowsByKey.get(key);
    if (row === undefined) return { key, state: 'missing' };
    // A hidden value counts as set, because the service sends a mask for it.
    return { key, state: valueOrNull(row) || allowedEmptyKeys.includes(key) ? 'ok' : 'empty' };
  });
}

function faultIn(checks: readonly VariableCheck[]): string | undefined {
  const groups = ['missing', 'empty'].map((problem) => checks.filter(({ state }) => state === problem));
  const countTexts = groups.flatMap((group) => (group[0] ? `${group.length} ${group[0].state}` : []));
  const keys = groups.flat().map(({ key }) => key);
  return keys.length > 0 ? `${countTexts.join(', ')}: ${keys.join(', ')}` : undefined;
}
