import { findAmong, readAll } from '../../builders/resource/find.ts';
import { write } from '../../builders/write.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import { flag, many, optional, text } from '../../contract/field.ts';
import { inStack } from '../../contract/params.ts';
import type { Question } from '../../contract/plan.ts';
import { CliError } from '../../errors/cli-error.ts';
import { environments, type Variable, variable } from '../../resources/env.ts';
import { describeStack } from '../../resources/stack.ts';
import { readTypedAssignments, type SourcedVariable } from './change-set.ts';
import { applyParams, planVariables, redeployCalls, redeployDeclaration } from './plan.ts';
import { isKept } from './summary.ts';
import { keysField, variableChangeRecord, variableText } from './variable.ts';

export const set = write({
  about: 'Set environment variables; unchanged ones are skipped.',
  params: {
    stack_id: inStack,
    assignments: many(
      text('Name and value.', { names: 'environment variable' }),
      'Name and value, split at the first `=`.',
      { label: 'KEY=VALUE', assigns: [], empty: 'KEY= sets an empty one.' },
    ),
    stdin: optional(flag('Read the value from stdin, less a last newline.')),
    from_file: optional(text('Read the value from a file, less a last newline.', { names: 'file' })),
    raw: optional(flag('Keep the last newline.')),
    ...applyParams,
    allow_empty: optional(flag('Accept an empty value in place of another, or read.')),
  },
  positionals: ['assignments'],
  examples: [
    "stackops stack env set A=1 B='x y' -s shop",
    'stackops stack env set TLS_KEY --from-file key.pem -s shop',
    'printf %s "$SECRET" | stackops stack env set API_SECRET --stdin -s shop',
  ],
  calls: [...redeployCalls, environments.list, environments.create, environments.update],
  ...redeployDeclaration,
  confirm: { level: 'yes', act: 'Set variables and redeploy', when: 'with --redeploy' },
  severalStacks: true,
  plan: async (context, input) => {
    const wanted = await readTypedAssignments(context, input);
    const { stack_id, redeploy } = input;
    const known = await readAll(context, variable, input);
    if (!input.allow_empty) refuseEmptying(wanted, known, stack_id);
    const origin = input.stdin === true || input.from_file !== undefined ? 'file' : 'arguments';
    const plan = planVariables(context, wanted, { ...input, known, origin });
    if (!redeploy) return plan;
    const changed = plan.steps.filter(({ isIdle }) => !isIdle).map(({ name }) => name);
    return { ...plan, ask: { name: () => describeStack(context, stack_id), details: () => [changed.join(', ')] } };
  },
});

type Wanted = readonly Pick<SourcedVariable, 'key' | 'value' | 'skipped'>[];

/** `typedFor`: the stack for which the values were typed one by one, and can be typed again. */
export function refuseEmptying(wanted: Wanted, known: readonly Variable[], typedFor?: string): void {
  const keys = emptiedBy(wanted, known);
  if (keys.length === 0) return;
  // The line is written out only where it holds no other values.
  const isAll = typedFor !== undefined && keys.length === wanted.length;
  const details = isAll ? { hint: emptyCommand(keys, typedFor) } : { correction: { add: ['--allow-empty'] } };
  throw new CliError('usage', emptiedText(keys), { nothing: 'changed', ...details });
}

/** Keys whose present value would become empty. `KEY=` may be `KEY=$VALUE` of a script in which VALUE is not set. */
export function emptiedBy(wanted: Wanted, known: readonly Variable[]): readonly string[] {
  const hasValue = (key: string) => known.some((row) => row.key === key && variableText(row));
  return wanted
    .filter(({ key, value, skipped }) => value === '' && skipped === undefined && hasValue(key))
    .map(({ key }) => key);
}

export function emptiedText(keys: readonly string[]): string {
  return `${keys.join(', ')} ${keys.length === 1 ? 'has' : 'have'} a value, and the new one is empty`;
}

export function emptyCommand(keys: readonly string[], stack_id: string): CommandLine {
  return { path: 'stack env set', operands: keys.map((key) => `${key}=`), flags: ['--allow-empty'], stack_id };
}

function refuseIds(names: readonly string[], known: readonly Variable[]): void {
  // A number that is no key may be the ID of a variable.
  const unknown = names.filter((name) => !known.some(({ key }) => key === name));
  const row = known.find(({ id }) => unknown.includes(String(id)));
  if (row === undefined) return;
  const message = `${row.id} is the ID of ${row.key}; give the key instead`;
  throw new CliError('not_found', message, {
    nothing: 'changed',
    correction: { replace: { word: String(row.id), by: [row.key] } },
  });
}

export const unset = write({
  about: 'Delete environment variables.',
  params: { stack_id: inStack, keys: keysField('Environment variables to delete.') },
  positionals: ['keys'],
  examples: ['stackops stack env unset OLD_FLAG -s shop -y'],
  calls: [environments.list, environments.delete],
  record: variableChangeRecord,
  isList: true,
  confirm: { level: 'yes', act: 'Delete' },
  severalStacks: true,
  plan: async (context, input) => {
    const { stack_id } = input;
    const known = await readAll(context, variable, input);
    const keys = [...new Set(input.keys)];
    refuseIds(keys, known);
    const found = keys.flatMap((name) => known.filter(({ key }) => key === name));
    const [first = ''] = keys;
    const wanted = keys.map((key) => ({ key, value: null }));
    const plan = planVariables(context, wanted, { stack_id, known, origin: 'arguments' });
    // If only some of several keys are missing, an interrupted run may have deleted them.
    if (found.length === 0) return { ...plan, absent: async () => findAmong(variable, known, first, input) as never };
    const count = found.length === 1 ? 'environment variable' : `${found.length} environment variables`;
    const details = async () => [`${count} of ${await describeStack(context, stack_id)}`];
    return { ...plan, ask: { name: found.map(({ key }) => key).join(', '), details, ...lossOf(found) } };
  },
});

/** A secret is shown nowhere, so nothing can restore it. */
function lossOf(found: readonly Variable[]): Pick<Question, 'warning'> {
  const lost = found.filter((row) => !isKept(row)).map(({ key }) => key);
  if (lost.length === 0) return {};
  if (found.length === 1) return { warning: 'Its value will not be kept.' };
  return { warning: `The ${lost.length === 1 ? 'value' : 'values'} of ${lost.join(', ')} will not be kept.` };
}
