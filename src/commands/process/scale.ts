import { changeEach, itemError } from '../../batch/change-each.ts';
import type { Context, Target } from '../../contract/command.ts';
import { group, integer, many, map, nullable, oneOf, optional, text } from '../../contract/field.ts';
import { type RecordOf, record } from '../../contract/record.ts';
import { rows } from '../../contract/reply.ts';
import { readBack } from '../../kinds/read-back.ts';
import { script } from '../../kinds/script.ts';
import { actionWords, isAction, isDone, StackAction } from '../../resources/action.ts';
import { processes } from '../../resources/process.ts';
import { servers } from '../../resources/server.ts';
import { inStack } from '../../resources/shared.ts';
import { describeStack } from '../../resources/stack.ts';
import { readBodyFields } from '../body-field.ts';
import { changeStates, fate, misfortune } from '../queued-change.ts';
import { scalePayload } from './scale-payload.ts';
import { planScaling, type ScaleStep } from './scale-plan.ts';
import { scaleUndo } from './scale-undo.ts';
import { readScaleWords } from './scale-words.ts';

/** What happened to one process. */
const ScaleChange = record(
  'change',
  {
    name: text('Name of the process.'),
    change: oneOf(changeStates, 'What was done.'),
    before: map(integer('How many ran there.'), 'How many ran, by server name.'),
    after: map(integer('How many shall run there.'), 'How many shall run, by server name.'),
    action: nullable(group(StackAction.fields, 'The action that was queued.')),
    error: itemError,
  },
  ['name', 'change', 'before', 'after'],
);
type ScaleChange = RecordOf<typeof ScaleChange>;

interface ScaleInput {
  readonly stack_id: string;
  readonly changes: readonly string[];
  readonly server?: string;
  readonly field?: readonly string[];
}

export const scale = script({
  about: 'Change how many of a process run on each of its servers, or on one server.',
  params: {
    stack_id: inStack,
    changes: many(
      text('Process and number.', { names: 'process name' }),
      'NAME=N for a count, NAME=+N or NAME=-N for a difference.',
      {
        label: 'NAME=N',
        assigns: [],
        repeats: true,
      },
    ),
    server: optional(text('Only on this server: UID or exact name.', { names: 'server' })),
    field: optional(
      many(
        text('Name and value.', { label: 'name=value', assigns: [] }),
        'Add or override a field of the request body.',
        {
          whole: true,
        },
      ),
    ),
  },
  positionals: ['changes'],
  examples: [
    'stackops process scale worker=3 -s shop',
    'stackops process scale worker=+1 web=-1 -s shop -y',
    'stackops process scale worker=2 --server shop-web-1 -s shop',
  ],
  calls: [processes.list, servers.list, processes.scale],
  reply: rows(ScaleChange),
  confirm: {
    level: 'yes',
    act: 'Scale down process',
    when: 'before a decrease on several servers',
    target: describeDecrease,
  },
  run: async (context, input) => {
    const plan = await planOf(context, input);
    return changeEach<ScaleStep, ScaleChange>(context, plan, {
      nameOf: ({ name }) => name,
      act: (step) => apply(context, input, step),
      wasIdle: ({ change }) => change === 'unchanged',
      undone: ({ name, before, after }, error, seen) => {
        const action = isAction(seen) ? seen : null;
        return { name, change: misfortune(error), before, after, action, error };
      },
    });
  },
  present: (changes, { stack_id, server }) => ({
    kind: 'done',
    lines: changes.map(lineOf),
    undo: scaleUndo(changes, { stack_id, isEverywhere: server === undefined }),
  }),
});

/** Everything typed is read before the service is asked. */
async function planOf(
  context: Context,
  { stack_id, changes, server, field }: ScaleInput,
): Promise<readonly ScaleStep[]> {
  const words = readScaleWords(changes);
  readFields(field);
  const found = await context.call(processes.list, { stack_id });
  const known = await context.call(servers.list, { stack_id });
  return planScaling(words, { stack_id, processes: found, servers: known, only: server });
}

async function apply(context: Context, { stack_id, field }: ScaleInput, step: ScaleStep): Promise<ScaleChange> {
  const { name, before, after, counts } = step;
  const isSame = Object.entries(after).every(([server, count]) => before[server] === count);
  if (isSame && !field) return { name, change: 'unchanged', before, after, action: null, error: null };
  const payload = scalePayload({ name, counts, fields: readFields(field) });
  const action = await context.call(processes.scale, { ...payload, stack_id, id: name });
  const now = isDone(action) ? await seenAfter(context, stack_id, step) : after;
  return { name, change: fate(action), before, after: now, action, error: null };
}

/** The counts that the service shows when it says that it is done; those asked for where they cannot be read. */
async function seenAfter(context: Context, stack_id: string, { name, after }: ScaleStep): Promise<ScaleStep['after']> {
  const known = await readBack(context, () => context.call(processes.list, { stack_id }));
  const running = known?.find((one) => one.name === name)?.servers;
  if (!running) return after;
  const where = Object.keys(after);
  const now = Object.fromEntries(where.map((server): [string, number] => [server, running[server] ?? 0]));
  for (const server of where.filter((one) => now[one] !== after[one])) {
    context.warn(`${after[server]} of ${name} were asked for on ${server}, and the service shows ${now[server]}`);
  }
  return now;
}

function readFields(words: readonly string[] | undefined): Readonly<Record<string, unknown>> {
  return readBodyFields(words ?? [], ['stack_id', 'id']);
}

/** What a question says before fewer run on several servers. */
async function describeDecrease(context: Context, input: ScaleInput): Promise<Target | undefined> {
  const plan = await planOf(context, input);
  const stopping = plan
    .map((step) => ({ ...step, servers: Object.keys(step.after).filter((server) => isFewer(step, server)) }))
    .filter((step) => step.servers.length > 1);
  if (stopping.length === 0) return undefined;
  return {
    name: stopping.map(({ name }) => name).join(', '),
    facts: [
      `of ${await describeStack(context, input.stack_id)}`,
      ...stopping.map((step) => transition(step, step.servers)),
    ],
  };
}

function isFewer({ before, after }: ScaleStep, server: string): boolean {
  return (after[server] ?? 0) < (before[server] ?? 0);
}

/** `worker 2 -> 3 on shop-web-1: queued as action 812`. */
function lineOf(step: ScaleChange): string {
  if (step.change === 'unchanged') {
    const counts = Object.entries(step.before).map(([server, count]) => `${count} on ${server}`);
    return `${step.name} unchanged (${counts.join(', ')})`;
  }
  return `${transition(step, Object.keys(step.after))}: ${step.action ? actionWords(step.action) : step.change}`;
}

/** `worker 2 -> 3 on shop-web-1, 1 -> 3 on shop-web-2`. */
function transition(
  { name, before, after }: Pick<ScaleStep, 'name' | 'before' | 'after'>,
  where: readonly string[],
): string {
  return `${name} ${where.map((server) => `${before[server]} -> ${after[server]} on ${server}`).join(', ')}`;
}
