import { flag, many, optional, text } from '../../contract/field.ts';
import { readAll } from '../../kinds/resource/find.ts';
import { write } from '../../kinds/write.ts';
import { applyStrategy, environments, variable } from '../../resources/env.ts';
import { inStack } from '../../resources/shared.ts';
import { describeStack } from '../../resources/stack.ts';
import { readTypedAssignments } from '../assignment.ts';
import { planVariables } from './plan/plan.ts';
import { redeployCalls, redeployExits, redeployedRecord, redeployField } from './plan/redeploy.ts';

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
    apply_strategy: applyStrategy,
    redeploy: redeployField,
    allow_empty: optional(flag('Accept an empty value from stdin or the file.')),
  },
  positionals: ['assignments'],
  examples: [
    "stackops stack env set A=1 B='x y' -s shop",
    'stackops stack env set TLS_KEY --from-file key.pem -s shop',
    'printf %s "$SECRET" | stackops stack env set API_SECRET --stdin -s shop',
  ],
  calls: [...redeployCalls, environments.list, environments.create, environments.update],
  record: redeployedRecord,
  exits: redeployExits,
  isList: true,
  confirm: { level: 'yes', act: 'Set variables and redeploy', when: 'with --redeploy' },
  severalStacks: true,
  plan: async (context, input) => {
    const wanted = await readTypedAssignments(context, input);
    const { stack_id, apply_strategy, redeploy } = input;
    const known = await readAll(context, variable, input);
    const origin = input.stdin === true || input.from_file !== undefined ? 'file' : 'arguments';
    const plan = planVariables(context, wanted, { stack_id, known, origin, apply_strategy, redeploy });
    if (!redeploy) return plan;
    const changed = plan.steps.filter(({ isIdle }) => !isIdle).map(({ name }) => name);
    return { ...plan, ask: { name: () => describeStack(context, stack_id), facts: () => [changed.join(', ')] } };
  },
});
