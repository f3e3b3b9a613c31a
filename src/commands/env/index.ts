import { changeEach } from '../../batch/change-each.ts';
import type { Context, Menu, Target } from '../../contract/command.ts';
import { flag, many, optional, text } from '../../contract/field.ts';
import { one, rows } from '../../contract/reply.ts';
import { script } from '../../kinds/script.ts';
import { EnvironmentVariable, environments, type Variable } from '../../resources/env.ts';
import { settingText } from '../../resources/setting-text.ts';
import { inStack } from '../../resources/shared.ts';
import { describeStack } from '../../resources/stack.ts';
import { readAssignments } from '../assignment.ts';
import { queuedBy } from '../queued-change.ts';
import { refuseReadonly } from '../refuse-readonly.ts';
import { changed, EnvChange, leftAlone, presentChanges, queued } from './change.ts';
import { findVariable } from './find.ts';
import { envHistoryStories } from './history.ts';
import { writeVariables } from './write.ts';

const get = script({
  about: 'Print the value of an environment variable.',
  params: { stack_id: inStack, key: text('Name of the variable.', { label: 'KEY', names: 'environment variable' }) },
  positionals: ['key'],
  examples: ['stackops stack env get LOG_LEVEL -s shop'],
  calls: [environments.list],
  reply: one(EnvironmentVariable),
  run: async (context, { stack_id, key }) =>
    findVariable(await context.call(environments.list, { stack_id }), { key, stack_id }),
  bare: true,
  present: ({ value }) => ({ kind: 'value', text: settingText(value) }),
});

const set = script({
  about: 'Create or change environment variables; unchanged ones are skipped.',
  params: {
    stack_id: inStack,
    assignments: many(
      text('Name and value.', { names: 'environment variable' }),
      'Names and values, split at the first `=`.',
      { label: 'KEY=VALUE', assigns: [] },
    ),
    stdin: optional(flag('Read the value of the one KEY from stdin; one final newline is dropped.')),
    from_file: optional(
      text('Read the value of the one KEY from this file; one final newline is dropped.', { names: 'file' }),
    ),
    raw: optional(flag('Keep the final newline of stdin or the file.')),
    allow_empty: optional(flag('Accept an empty value from stdin or the file.')),
  },
  positionals: ['assignments'],
  examples: [
    "stackops stack env set A=1 B='x y' -s shop",
    'stackops stack env set TLS_KEY --from-file key.pem -s shop',
    'printf %s "$SECRET" | stackops stack env set API_SECRET --stdin -s shop',
  ],
  calls: [environments.list, environments.create, environments.update],
  reply: rows(EnvChange),
  severalStacks: true,
  run: async (context, input) => {
    const wanted = await readAssignments(context, input);
    const { stack_id } = input;
    const known = await context.call(environments.list, { stack_id });
    const hidden = input.stdin === true || input.from_file !== undefined;
    const steps = wanted.map((assignment) => ({
      ...assignment,
      before: known.find(({ key }) => key === assignment.key),
      hidden,
    }));
    return writeVariables(context, steps, { stack_id, deed: 'updated' });
  },
  present: (changes, _, audience) => presentChanges(changes, audience),
});

const unset = script({
  about: 'Delete environment variables.',
  params: {
    stack_id: inStack,
    keys: many(text('Name of a variable.', { names: 'environment variable' }), 'What to delete.', { label: 'KEY' }),
  },
  positionals: ['keys'],
  examples: ['stackops stack env unset OLD_FLAG -s shop -y'],
  calls: [environments.list, environments.delete],
  reply: rows(EnvChange),
  confirm: { level: 'yes', act: 'Delete', target: describeDoomed },
  severalStacks: true,
  run: async (context, { stack_id, keys }) =>
    changeEach(context, await doomed(context, stack_id, keys), {
      nameOf: ({ key }) => key,
      act: async (before): Promise<EnvChange> => {
        const action = queuedBy(await context.call(environments.delete, { stack_id, env_var_key: before.key }));
        if (action) return queued(before.key, action, { stack_id, before });
        return changed(before.key, 'deleted', { stack_id, before });
      },
      undone: leftAlone,
    }),
  present: (changes, _, audience) => presentChanges(changes, audience),
});

export const envStories = {
  'stack env get': get,
  'stack env set': set,
  'stack env unset': unset,
  ...envHistoryStories,
} satisfies Menu;

/** The variables about to go, all of them known and writable. */
async function doomed(context: Context, stack_id: string, keys: readonly string[]): Promise<readonly Variable[]> {
  const known = await context.call(environments.list, { stack_id });
  const found = [...new Set(keys)].map((key) => findVariable(known, { key, stack_id }));
  refuseReadonly(found);
  return found;
}

async function describeDoomed(
  context: Context,
  { stack_id, keys }: { readonly stack_id: string; readonly keys: readonly string[] },
): Promise<Target> {
  const found = await doomed(context, stack_id, keys);
  const stack = await describeStack(context, stack_id);
  const facts = [`${found.length === 1 ? 'a variable' : `${found.length} variables`} of ${stack}`];
  return { name: found.map(({ key }) => key).join(', '), facts };
}
