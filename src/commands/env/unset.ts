import { many, text } from '../../contract/field.ts';
import { findAmong, readAll } from '../../kinds/resource/find.ts';
import { write } from '../../kinds/write.ts';
import { environments, variable } from '../../resources/env.ts';
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
    const keys = [...new Set(input.keys)].map((key) => findAmong(variable, known, key, input).key);
    const count = keys.length === 1 ? 'environment variable' : `${keys.length} environment variables`;
    return {
      ...planVariables(
        context,
        keys.map((key) => ({ key, value: null })),
        { stack_id, known, origin: 'arguments' },
      ),
      ask: {
        name: keys.join(', '),
        facts: async () => [`${count} of ${await describeStack(context, stack_id)}`],
      },
    };
  },
});
