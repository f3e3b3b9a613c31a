import { findAmong, readAll } from '../../builders/resource/find.ts';
import { write } from '../../builders/write.ts';
import type { Context } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import { flag, optional, text, type Values } from '../../contract/field.ts';
import { stackParam } from '../../contract/params.ts';
import type { Question } from '../../contract/plan.ts';
import { CliError } from '../../errors/cli-error.ts';
import { environments, type Variable, variable } from '../../resources/env.ts';
import { readStackTitle } from '../../resources/stack.ts';
import { checkKey, pairsField, readPairs, type SourcedVariable } from './change-set.ts';
import { envChangeParams, planVariables, redeployDeclaration } from './plan.ts';
import { canBeInUndo } from './summary.ts';
import { keysField, valueOrNull, variableChangeRecord } from './variable.ts';

const params = {
  stack_id: stackParam,
  assignments: pairsField(text('Name and value.', { nameKind: 'environment variable' })),
  stdin: optional(flag('Read the value from stdin, less a last newline.')),
  from_file: optional(text('Read the value from a file, less a last newline.', { nameKind: 'file' })),
  raw: optional(flag('Keep the last newline.')),
  ...envChangeParams,
  allow_empty: optional(flag('Accept an empty value in place of another, or read.')),
};

export const envSetCommand = write({
  about: 'Set environment variables; unchanged ones are skipped.',
  params,
  positionals: ['assignments'],
  examples: [
    "stackops stack env set A=1 B='x y' -s shop",
    'stackops stack env set TLS_KEY --from-file key.pem -s shop',
    'printf %s "$SECRET" | stackops stack env set API_SECRET --stdin -s shop',
  ],
  ...redeployDeclaration,
  confirm: { level: 'yes', act: 'Set variables and redeploy', when: 'with --redeploy' },
  severalStacks: true,
  plan: async (context, input) => {
    const assignments = await readAssignmentInput(context, input);
    const { stack_id, redeploy } = input;
    const oldRows = await readAll(context, variable, input);
    if (!input.allow_empty) refuseEmptying(assignments, oldRows, stack_id);
    const origin = input.stdin === true || input.from_file !== undefined ? 'file' : 'arguments';
    const plan = planVariables(context, assignments, { ...input, oldRows, origin });
    if (!redeploy) return plan;
    const changedKeys = plan.steps.filter(({ isIdle }) => !isIdle).map(({ name }) => name);
    return { ...plan, ask: { name: () => readStackTitle(context, stack_id), details: () => [changedKeys.join(', ')] } };
  },
});

async function readAssignmentInput(context: Context, input: Values<typeof params>) {
  if (!input.stdin && input.from_file === undefined)
    return readPairs(input.assignments, 'environment variable', '--stdin');
  const [key = '', ...more] = input.assignments;
  if (input.stdin && input.from_file !== undefined) throw new CliError('usage', 'use --stdin or --from-file, not both');
  if (more.length > 0 || key.includes('=')) {
    const message = `--stdin and --from-file set one variable: give only its name, not "${more[0] ?? key}"`;
    throw new CliError('usage', message);
  }
  const content = await context.readText(input.from_file ?? '-');
  const value = input.raw ? content : content.replace(/\r?\n$/, '');
  if (value === '' && !input.allow_empty) {
    const correction = { add: ['--allow-empty'] };
    throw new CliError('usage', `the value read for ${key} is empty`, { nothing: 'changed', correction });
  }
  return [{ key: checkKey(key), value }];
}

type WantedValues = readonly Pick<SourcedVariable, 'key' | 'value' | 'skipReason'>[];

/** Throws `usage` if a value would become empty. For typed values `hintStackId` is the stack of the hint. */
export function refuseEmptying(wanted: WantedValues, oldRows: readonly Variable[], hintStackId?: string): void {
  const keys = keysEmptiedBy(wanted, oldRows);
  if (keys.length === 0) return;
  // The whole command is printed only if all its values are empty, so no other value is printed.
  const areAllEmptied = hintStackId !== undefined && keys.length === wanted.length;
  const details = areAllEmptied
    ? { hint: emptyingCommand(keys, hintStackId) }
    : { correction: { add: ['--allow-empty'] } };
  throw new CliError('usage', emptiedText(keys), { nothing: 'changed', ...details });
}

/** Returns the keys whose value would become empty. `KEY=` may come from `KEY=$VALUE` in a script without VALUE. */
export function keysEmptiedBy(wanted: WantedValues, oldRows: readonly Variable[]): readonly string[] {
  const hasValue = (key: string) => oldRows.some((row) => row.key === key && valueOrNull(row));
  const emptied = wanted.filter((one) => one.value === '' && one.skipReason === undefined && hasValue(one.key));
  return emptied.map(({ key }) => key);
}

export function emptiedText(keys: readonly string[]): string {
  return `${keys.join(', ')} ${keys.length === 1 ? 'has' : 'have'} a value, and the new one is empty`;
}

export function emptyingCommand(keys: readonly string[], stack_id: string): CommandLine {
  return { path: 'stack env set', operands: keys.map((key) => `${key}=`), flags: ['--allow-empty'], stack_id };
}

function refuseIds(names: readonly string[], oldRows: readonly Variable[]): void {
  // A number that is no key may be the ID of a variable.
  const unknownNames = names.filter((name) => !oldRows.some(({ key }) => key === name));
  const row = oldRows.find(({ id }) => unknownNames.includes(String(id)));
  if (row === undefined) return;
  const message = `${row.id} is the ID of ${row.key}; give the key instead`;
  const correction = { replace: { word: String(row.id), by: [row.key] } };
  throw new CliError('not_found', message, { nothing: 'changed', correction });
}

export const envUnsetCommand = write({
  about: 'Delete environment variables.',
  params: { stack_id: stackParam, keys: keysField('Environment variables to delete.') },
  positionals: ['keys'],
  examples: ['stackops stack env unset OLD_FLAG -s shop -y'],
  calls: [environments.list, environments.delete],
  record: variableChangeRecord,
  printsList: true,
  confirm: { level: 'yes', act: 'Delete' },
  severalStacks: true,
  plan: async (context, input) => {
    const { stack_id } = input;
    const oldRows = await readAll(context, variable, input);
    const keys = [...new Set(input.keys)];
    refuseIds(keys, oldRows);
    const rows = keys.flatMap((name) => oldRows.filter(({ key }) => key === name));
    const deletions = keys.map((key) => ({ key, value: null }));
    const plan = planVariables(context, deletions, { stack_id, oldRows, origin: 'arguments' });
    // It is an error if all keys are missing. If only some are missing, an interrupted run may have deleted them.
    if (rows.length === 0)
      return { ...plan, refuse: async () => findAmong(variable, oldRows, String(keys[0]), input) as never };
    const countText = rows.length === 1 ? 'environment variable' : `${rows.length} environment variables`;
    const details = async () => [`${countText} of ${await readStackTitle(context, stack_id)}`];
    return { ...plan, ask: { name: rows.map(({ key }) => key).join(', '), details, ...lossWarning(rows) } };
  },
});

function lossWarning(rows: readonly Variable[]): Pick<Question, 'warning'> {
  const lostKeys = rows.filter((row) => !canBeInUndo(row)).map(({ key }) => key);
  if (lostKeys.length === 0) return {};
  if (rows.length === 1) return { warning: 'Its value will not be kept.' };
  return { warning: `The ${lostKeys.length === 1 ? 'value' : 'values'} of ${lostKeys.join(', ')} will not be kept.` };
}
