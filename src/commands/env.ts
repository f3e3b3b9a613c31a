import { type Context, type Menu, type Presentation, script, type Target } from '../contract/command.ts';
import { flag, many, oneOf, optional, text } from '../contract/field.ts';
import { type RecordOf, record } from '../contract/record.ts';
import { one, rows } from '../contract/reply.ts';
import { nearest } from '../problems/nearest.ts';
import { Problem } from '../problems/problem.ts';
import { EnvironmentVariable, environments } from '../resources/env.ts';
import { inStack } from '../resources/shared.ts';
import { describeStack } from '../resources/stack.ts';
import { type Assignment, readAssignments } from './assignment.ts';
import { changeEach, failedOrNot, itemError } from './batch.ts';

type Variable = RecordOf<typeof EnvironmentVariable>;

/** What happened to one variable. */
const Change = record(
  'change',
  {
    key: text('Name of the variable.'),
    change: oneOf(['created', 'updated', 'unchanged', 'deleted', 'failed', 'not tried'], 'What was done.'),
    error: itemError,
  },
  ['key', 'change'],
);
type Change = RecordOf<typeof Change>;

const get = script({
  about: 'Print the value of an environment variable.',
  params: { stack_id: inStack, key: text('Name of the variable.', { label: 'KEY' }) },
  positionals: ['key'],
  examples: ['stackops stack env get DATABASE_URL -s shop'],
  calls: [environments.list],
  reply: one(EnvironmentVariable),
  run: async (context, { stack_id, key }) =>
    find(await context.call(environments.list, { stack_id }), { key, stack_id }),
  present: ({ value }) => ({ kind: 'value', text: typeof value === 'string' ? value : JSON.stringify(value) }),
});

const set = script({
  about: 'Create or change environment variables; unchanged ones are skipped.',
  params: {
    stack_id: inStack,
    assignments: many(text('Name and value.'), 'Names and values, split at the first `=`.', { label: 'KEY=VALUE' }),
    stdin: optional(flag('Read the value of the one KEY from stdin; one final newline is dropped.')),
    from_file: optional(
      text('Read the value of the one KEY from this file; one final newline is dropped.', { label: 'from_file' }),
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
  reply: rows(Change),
  run: async (context, input) => {
    const wanted = await readAssignments(context, input);
    const { stack_id } = input;
    const known = await context.call(environments.list, { stack_id });
    const plan = wanted.map((assignment) => ({
      ...assignment,
      before: known.find(({ key }) => key === assignment.key),
    }));
    refuseReadonly(plan.filter(({ before, value }) => before && before.value !== value).map(({ before }) => before));
    return changeEach(context, plan, {
      nameOf: ({ key }) => key,
      act: (step) => write(context, stack_id, step),
      undone: ({ key }, error): Change => ({ key, change: failedOrNot(error), error }),
    });
  },
  present: (changes) => presentChanges(changes),
});

const unset = script({
  about: 'Delete environment variables.',
  params: { stack_id: inStack, keys: many(text('Name of a variable.'), 'What to delete.', { label: 'KEY' }) },
  positionals: ['keys'],
  examples: ['stackops stack env unset OLD_FLAG -s shop -y'],
  calls: [environments.list, environments.delete],
  reply: rows(Change),
  confirm: { level: 'yes', act: 'Delete', target: describeDoomed },
  run: async (context, { stack_id, keys }) => {
    await doomed(context, stack_id, keys);
    return changeEach(context, [...new Set(keys)], {
      nameOf: (key) => key,
      act: async (key): Promise<Change> => {
        await context.call(environments.delete, { stack_id, env_var_key: key });
        return { key, change: 'deleted', error: null };
      },
      undone: (key, error): Change => ({ key, change: failedOrNot(error), error }),
    });
  },
  present: (changes) => presentChanges(changes),
});

export const envStories = {
  'stack env get': get,
  'stack env set': set,
  'stack env unset': unset,
} satisfies Menu;

async function write(
  context: Context,
  stack_id: string,
  { key, value, before }: Assignment & { readonly before: Variable | undefined },
): Promise<Change> {
  if (before?.value === value) return { key, change: 'unchanged', error: null };
  if (before) await context.call(environments.update, { stack_id, env_var_key: key, value });
  else await context.call(environments.create, { stack_id, key, value });
  return { key, change: before ? 'updated' : 'created', error: null };
}

/** The variables about to go, all of them known and writable. */
async function doomed(context: Context, stack_id: string, keys: readonly string[]): Promise<readonly Variable[]> {
  const known = await context.call(environments.list, { stack_id });
  const found = [...new Set(keys)].map((key) => find(known, { key, stack_id }));
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

function find(
  known: readonly Variable[],
  { key, stack_id }: { readonly key: string; readonly stack_id: string },
): Variable {
  const found = known.find((variable) => variable.key === key);
  if (found) return found;
  const close = nearest(
    key,
    known.map((variable) => variable.key),
  );
  const message = `no environment variable is called "${key}"${close ? `; did you mean "${close}"?` : ''}`;
  throw new Problem('not_found', message, { hint: `stackops stack env list -s ${stack_id}` });
}

/** `readonly` is what blocks a write, `is_generated` alone does not (beyond-the-document 1.1). */
function refuseReadonly(variables: readonly (Variable | undefined)[]): void {
  const locked = variables.filter((variable) => variable?.readonly).map((variable) => variable?.key);
  if (locked.length === 0) return;
  throw new Problem(
    'rejected',
    `${locked.join(', ')} cannot be changed: the service marks ${locked.length === 1 ? 'it' : 'them'} as read-only; nothing was changed`,
  );
}

function presentChanges(changes: readonly Change[]): Presentation {
  return { kind: 'done', lines: changes.map(({ key, change }) => `${key} ${change}`) };
}
