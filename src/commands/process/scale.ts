import type { Context } from '../../contract/command.ts';
import { integer, many, map, optional, text, type Values } from '../../contract/field.ts';
import type { Plan, Question, Seen, Step } from '../../contract/plan.ts';
import { changeRecord } from '../../kinds/change-record.ts';
import { readBack } from '../../kinds/read-back.ts';
import { linesOf, verbs } from '../../kinds/say.ts';
import { send } from '../../kinds/send.ts';
import { shownBy } from '../../kinds/verified.ts';
import { write } from '../../kinds/write.ts';
import { processes } from '../../resources/process.ts';
import { server, servers } from '../../resources/server.ts';
import { inStack } from '../../resources/shared.ts';
import { describeStack } from '../../resources/stack.ts';
import { readBodyFields } from '../body-field.ts';
import { scalePayload } from './scale-payload.ts';
import { type Counts, countsNow, planScaling, runs, type Scaling } from './scale-plan.ts';
import { type Scaled, scaleUndo } from './scale-undo.ts';
import { readScaleWords } from './scale-words.ts';

export const onServer = optional({ ...server.word, about: 'Only on this server: UID or exact name.' });

const params = {
  stack_id: inStack,
  changes: many(
    text('Process and number.', { names: 'process name' }),
    'NAME=N for a count, NAME=+N or NAME=-N for a difference.',
    { label: 'NAME=N', assigns: [], repeats: true },
  ),
  server: onServer,
  field: optional(
    many(
      text('Name and value.', { label: 'name=value', assigns: [] }),
      'Add or override a field of the request body.',
      { whole: true },
    ),
  ),
};
type ScaleInput = Values<typeof params>;

export const scale = write({
  about: 'Change how many of a process run on each of its servers, or on one server.',
  params,
  positionals: ['changes'],
  examples: [
    'stackops process scale worker=3 -s shop',
    'stackops process scale worker=+1 web=-1 -s shop -y',
    'stackops process scale worker=2 --server shop-web-1 -s shop',
  ],
  calls: [processes.list, servers.list, processes.scale],
  record: changeRecord(
    { name: text('Name of the process.') },
    { before: map(integer('How many run there.'), 'How many run, by server name.') },
  ),
  isList: true,
  confirm: { level: 'yes', act: 'Scale down process', when: 'before a decrease on several servers' },
  plan: async (context, input): Promise<Plan> => {
    const { stack_id, server: only } = input;
    // Everything typed is read before the service is asked.
    const words = readScaleWords(input.changes);
    const fields = readFields(input);
    const found = await context.call(processes.list, { stack_id });
    const known = await context.call(servers.list, { stack_id });
    const scalings = planScaling(words, { stack_id, processes: found, servers: known, only });
    const steps = scalings.map((scaling) => stepOf(context, stack_id, { ...scaling, fields }));
    return {
      steps,
      ask: questionOf(context, stack_id, scalings),
      say: (changes) => ({
        lines: linesOf(steps, changes, { verb: verbs.update, details: (change) => [countsText(change as Scaled)] }),
        undo: scaleUndo(changes as readonly Scaled[], { stack_id, isEverywhere: only === undefined }),
      }),
    };
  },
});

function readFields({ field = [] }: ScaleInput): Readonly<Record<string, unknown>> {
  return readBodyFields(field, ['stack_id', 'id']);
}

interface Request extends Scaling {
  /** What the operator adds to the body or overrides. */
  readonly fields: Readonly<Record<string, unknown>>;
}

function stepOf(context: Context, stack_id: string, request: Request): Step {
  const { name, before, after, fields } = request;
  // Nothing is known of what other fields do.
  const isPlain = Object.keys(fields).length === 0;
  const observer = shownBy(processes.scale, async (read) =>
    runs(countsNow(await read(processes.list, { stack_id }), request) ?? {}, after),
  );
  return {
    id: { name },
    name: `process ${name}`,
    change: 'updated',
    before,
    after,
    isIdle: isPlain && runs(before, after),
    basis: before,
    send: () =>
      send(context, processes.scale, { ...scalePayload(request), stack_id, id: name }, isPlain ? observer : undefined),
    done: () => seenAfter(context, stack_id, request),
  };
}

/** The counts that the service shows when it says that it is done. */
async function seenAfter(context: Context, stack_id: string, scaling: Scaling): Promise<Seen> {
  const known = await readBack(context, () => context.call(processes.list, { stack_id }));
  const now = known && countsNow(known, scaling);
  if (!now) return {};
  const { name, after } = scaling;
  for (const server of Object.keys(after).filter((one) => now[one] !== after[one])) {
    context.warn(`${after[server]} of ${name} were asked for on ${server}, and the service shows ${now[server]}`);
  }
  return { after: now };
}

/** Asks before fewer run on several servers. */
function questionOf(context: Context, stack_id: string, scalings: readonly Scaling[]): Question | undefined {
  const stopping = scalings
    .map((scaling) => ({ ...scaling, fewer: Object.keys(scaling.after).filter((where) => isFewer(scaling, where)) }))
    .filter(({ fewer }) => fewer.length > 1);
  if (stopping.length === 0) return undefined;
  return {
    name: stopping.map(({ name }) => name).join(', '),
    facts: async () => [
      `of ${await describeStack(context, stack_id)}`,
      ...stopping.map((scaling) => `${scaling.name} ${transition(scaling, scaling.fewer)}`),
    ],
  };
}

function isFewer({ before, after }: Scaling, server: string): boolean {
  return (after[server] ?? 0) < (before[server] ?? 0);
}

function countsText({ change, before, after }: Scaled): string {
  if (change !== 'unchanged') return transition({ before, after }, Object.keys(after));
  return Object.entries(before)
    .map(([server, count]) => `${count} on ${server}`)
    .join(', ');
}

/** `2 -> 3 on shop-web-1, 1 -> 3 on shop-web-2`. */
function transition(
  { before, after }: { readonly before: Counts; readonly after: Counts },
  where: readonly string[],
): string {
  return where.map((server) => `${before[server]} -> ${after[server]} on ${server}`).join(', ');
}
