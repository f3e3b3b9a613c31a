import type { Command, Context } from '../../contract/command.ts';
import type { CommandLine, Hint } from '../../contract/command-line.ts';
import type { Input } from '../../contract/field.ts';
import type { Change, Plan, ReplacedValue, Step } from '../../contract/plan.ts';
import { isSame } from '../../kinds/perform/read-back.ts';
import { valueText } from '../../kinds/perform/summary.ts';
import { Problem } from '../../problems/problem.ts';
import { isSecret } from '../../resources/env.ts';
import type { Services } from '../services.ts';
import type { RecordedValue } from './recorded.ts';

export interface HistoryServices extends Services {
  /** Reads a command of ours as if it had been typed, and runs nothing; throws usage. */
  readonly readPrinted: (line: CommandLine) => Promise<{
    readonly command: Command;
    readonly input: Input;
    /** The place that it names, or else the chosen one. */
    readonly place: Context['place'];
  }>;
}

/** What restores values, or why they cannot be restored. */
export interface Restoring {
  readonly plans: readonly { readonly stack_id: string | undefined; readonly plan: Plan }[];
  readonly refusals: readonly { readonly stack_id: unknown; readonly text: string }[];
  readonly hint?: Hint | undefined;
}

/**
 * The plans that undo lines make here. What they say is believed in nothing: each value is what the run left, becomes what
 * was before, and is one that the run replaced.
 */
export async function replayUndo(
  services: HistoryServices,
  context: Context,
  { undo, values }: { readonly undo: readonly CommandLine[]; readonly values: readonly RecordedValue[] },
): Promise<Restoring> {
  const plans: Restoring['plans'][number][] = [];
  for (const line of undo) {
    const plan = await planOf(services, context, line);
    const { stack_id } = line;
    if (typeof plan === 'string') return { plans: [], refusals: [{ stack_id, text: plan }] };
    plans.push({ stack_id, plan });
  }
  const steps = plans.flatMap(({ plan }) => plan.steps);
  const found = steps.flatMap(({ replaces = [], stack_id }) => replaces.map((one) => ({ ...one, stack: stack_id })));
  const strange = found.filter((one) => !isAlready(one) && !values.some((value) => areSame(value, one)));
  const refusals = [
    ...values.flatMap((value) => {
      const text = refusalOf(value, found);
      return text === undefined ? [] : [{ stack_id: value.stack, text }];
    }),
    ...strange.map(({ key, before, stack }) => {
      return { stack_id: stack, text: `${key} is now ${shown(key, before)}, and the change did not set it` };
    }),
    ...steps
      .filter(({ isIdle, replaces }) => !isIdle && !replaces?.length)
      .map(({ name, stack_id }) => ({ stack_id, text: unverified(name) })),
  ];
  return { plans: plans.map(({ stack_id, plan }) => ({ stack_id, plan: inReverse(plan) })), refusals };
}

/** The plan of a command; a text where it cannot be made any more. */
async function planOf(services: HistoryServices, context: Context, line: CommandLine): Promise<Plan | string> {
  try {
    const { command, input, place } = await services.readPrinted(line);
    if (command.does.kind !== 'writes') return unverified(line.path);
    return await command.does.plan({ ...context, command: line.path, place }, input);
  } catch (error) {
    if (error instanceof Problem && ['usage', 'not_found', 'ambiguous', 'rejected'].includes(error.kind)) {
      return error.message.replace(/; nothing was (changed|sent)$/, '');
    }
    throw error;
  }
}

type Found = ReplacedValue & { readonly stack: unknown };

function areSame(one: Pick<Found, 'stack' | 'key'> & { readonly kind: string }, other: Found): boolean {
  return one.stack === other.stack && one.kind === other.kind && one.key === other.key;
}

function isAlready({ before, after }: ReplacedValue): boolean {
  return isSame(before, after);
}

function refusalOf(value: RecordedValue, all: readonly Found[]): string | undefined {
  const { key, isValue, isQueued, left } = value;
  const found = all.find((one) => areSame(value, one));
  if (!found)
    return isValue('before', null) ? `${key} was not set before, and cannot be unset` : `needs the value: ${key}`;
  const { before: now, after: wanted, alike = [] } = found;
  if (isQueued && isValue('before', now)) return `${key} is as it was before, and the change is still queued`;
  if (!isAlready(found) && ![now, ...alike].some((value) => isValue('after', value))) {
    const leftText = left !== undefined && isValue('after', left) ? shown(key, left) : 'another value';
    return `${key} is now ${shown(key, now)}; the change left ${leftText}`;
  }
  return isValue('before', wanted) ? undefined : unverified(key);
}

function shown(key: string, value: unknown): string {
  return isSecret({ key, value, is_password: false }) ? '***' : valueText(value);
}

function unverified(name: string): string {
  return `${name}: its record cannot be verified`;
}

/** `~ traffic of variant va-canary  25 -> 10` */
function previewOf(steps: readonly Step[]): Plan['preview'] {
  const all = steps.flatMap(({ replaces = [] }) => replaces);
  const changed = all.filter((one) => !isAlready(one));
  const idle = all.length - changed.length;
  return {
    changes: all.map((one) => {
      const { key } = one;
      const [before, after] = [one.before, one.after].map((value) => (shown(key, value) === '***' ? '***' : value));
      return { key, action: isAlready(one) ? 'unchanged' : 'update', before, after, reason: null };
    }),
    lines: [
      ...changed.map(({ key, before, after }) => `~ ${key}  ${shown(key, before)} -> ${shown(key, after)}`),
      ...(idle > 0 ? [`= ${idle} unchanged`] : []),
    ],
  };
}

/** The same begun with its last step, its records by the names of their steps, and nothing after it. */
function inReverse({ steps, finish, summarize }: Plan): Plan {
  const own = <Item>(items: readonly Item[]) => items.toReversed();
  const known = (changes: readonly Change[]) => own(changes).map((change, at) => ({ ...change, ...steps[at]?.id }));
  return {
    preview: previewOf(own(steps)),
    steps: own(steps).map((step) => ({ ...step, id: { key: step.name } })),
    finish: async (changes, replies) => {
      const seen = own((await finish?.(known(changes), own(replies))) ?? known(changes));
      return changes.map((given, at) => {
        const { change, before, after, error } = seen[at] ?? given;
        return { ...given, change, before, after, error };
      });
    },
    summarize: (changes) => {
      const { lines, ...said } = summarize(known(changes));
      return { ...said, lines: steps.length > 1 ? own(lines) : lines };
    },
  };
}
