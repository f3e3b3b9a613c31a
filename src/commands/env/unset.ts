import { many, text } from '../../contract/field.ts';
import type { Question } from '../../contract/plan.ts';
import { findAmong, readAll } from '../../kinds/resource/find.ts';
import { write } from '../../kinds/write.ts';
import { environments, isSecret, type Variable, variable } from '../../resources/env.ts';
import { inStack } from '../../resources/shared.ts';
import { describeStack } from '../../resources/stack.ts';
import { planVariables } from './plan/plan.ts';
import { variableChangeRecord } from './variable/variable-change.ts';

export const unset = write({
  about: 'Delete environment variables.',
  params: {
    stack_id: inStack,
    keys: many(
      text('Name of an environment variable.', { names: 'environment variable' }),
      'Environment variables to delete.',
      { label: 'KEY' },
    ),
  },
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
    const found = keys.flatMap((name) => known.filter(({ key }) => key === name));
    const [first = ''] = keys;
    const count = found.length === 1 ? 'environment variable' : `${found.length} environment variables`;
    return {
      ...planVariables(
        context,
        keys.map((key) => ({ key, value: null })),
        { stack_id, known, origin: 'arguments' },
      ),
      // Of several, those that are gone already were deleted by a run that was cut off.
      ...(found.length === 0
        ? { absent: async () => findAmong(variable, known, first, input) as never }
        : {
            ask: {
              name: found.map(({ key }) => key).join(', '),
              facts: async () => [`${count} of ${await describeStack(context, stack_id)}`],
              ...lossOf(found),
            },
          }),
    };
  },
});

/** A secret is shown nowhere, so nothing can restore it. */
function lossOf(found: readonly Variable[]): Pick<Question, 'warning'> {
  const secrets = found.filter(isSecret).map(({ key }) => key);
  if (secrets.length === 0) return {};
  if (found.length === 1) return { warning: 'Its value will not be kept.' };
  return { warning: `The ${secrets.length === 1 ? 'value' : 'values'} of ${secrets.join(', ')} will not be kept.` };
}
