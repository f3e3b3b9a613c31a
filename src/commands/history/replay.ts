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
  readonly plans: readonly Plan[];
  readonly refusals: readonly string[];
  readonly hint?: Hint;
}

/**
 * The plans that undo lines make here. Nothing that they say is believed: each value must be what the run left, become
 * what was before, and be one that the run replaced.
 */
export async function replayUndo(
  services: HistoryServices,
  context: Context,
  { undo, values }: { readonly undo: readonly CommandLine[]; readonly values: readonly RecordedValue[] },
): Promise<Restoring> {
  const plans: Plan[] = [];
  for (const line of undo) {
    const plan = await planOf(services, context, line);
    if (typeof plan === 'string') return { plans: [], refusals: [plan] };
    plans.push(inReverse(plan));
  }
  const steps = plans.flatMap((plan) => plan.steps);
  const found = steps.flatMap(({ replaces = [], stack_id }) => replaces.map((one) => ({ ...one, stack: stack_id })));
  const isKnown = (one: Found) => isIdle(one) || values.some((value) => areSame(value, one));
  const others = found.filter((one) => !isKnown(one)).map(({ key }) => `${key} would change, too`);
  const unknown = steps.filter((step) => !step.isIdle && !step.replaces?.length).map(({ name }) => unverified(name));
  const refusals = [...values.flatMap((value) => refusalOf(value, found) ?? []), ...others, ...unknown];
  return { plans, refusals };
}

/** The plan of a command; a text where it cannot be made any more. */
async function planOf(services: HistoryServices, context: Context, line: CommandLine): Promise<Plan | string> {
  try {
    const { command, input, place } = await services.readPrinted(line);
    if (command.does.kind !== 'writes') return unverified(line.path);
    return await command.does.plan({ ...context, command: line.path, place }, input);
  } catch (error) {
    if (!(error instanceof Problem) || !['usage', 'not_found', 'ambiguous', 'rejected'].includes(error.kind))
      throw error;
    return error.message.replace(/; nothing was (changed|sent)$/, '');
  }
}

type Found = ReplacedValue & { readonly stack: unknown };

function areSame(value: RecordedValue, { stack, kind, key }: Found): boolean {
  return value.stack === stack && value.kind === kind && value.key === key;
}

function isIdle({ before, after }: ReplacedValue): boolean {
  return isSame(before, after);
}

function refusalOf(value: RecordedValue, all: readonly Found[]): string | undefined {
  const { key, isValue, isQueued, left } = value;
  const found = all.find((one) => areSame(value, one));
  if (!found)
    return isValue('before', null) ? `${key} was not set before, and cannot be unset` : `needs the value: ${key}`;
  const { before: now, after: wanted } = found;
  if (isQueued && isValue('before', now)) return `${key} is as it was before, and the change is still queued`;
  const known = left !== undefined && isValue('after', left) ? left : undefined;
  if (isIdle(found) || isValue('after', now) || areNear(now, known)) {
    return isValue('before', wanted) ? undefined : unverified(key);
  }
  return `${key} is now ${shown(key, now)}; the change left ${known === undefined ? 'another value' : shown(key, known)}`;
}

/** When the service closes a gateway could only be guessed. */
function areNear(one: unknown, other: unknown): boolean {
  const [ms = 0, otherMs = Infinity] = [one, other].map((time) =>
    /^\d{4}-.*Z$/.test(String(time)) ? Date.parse(String(time)) : NaN,
  );
  return Math.abs(ms - otherMs) <= 3_000;
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
  const idle = all.filter(isIdle).length;
  const changes = all.map((one) => {
    const { key } = one;
    const [before, after] = [one.before, one.after].map((value) => (shown(key, value) === '***' ? '***' : value));
    return { key, action: isIdle(one) ? 'unchanged' : 'update', before, after, reason: null } as const;
  });
  const changed = changes.filter(({ action }) => action === 'update');
  const lines = changed.map(({ key, before, after }) => `~ ${key}  ${valueText(before)} -> ${valueText(after)}`);
  return { changes, lines: [...lines, ...(idle > 0 ? [`= ${idle} unchanged`] : [])] };
}

/** The same begun with its last step, its records by the names of their steps, and nothing after it. */
function inReverse({ steps, finish, summarize }: Plan): Plan {
  const reversed = steps.toReversed();
  const own = (changes: readonly Change[]) =>
    changes.toReversed().map((change, at) => ({ ...change, ...steps[at]?.id }));
  return {
    preview: previewOf(reversed),
    steps: reversed.map((step) => ({ ...step, id: { key: step.name } })),
    finish: async (changes, replies) => {
      const seen = (await finish?.(own(changes), replies.toReversed())) ?? own(changes);
      return changes.map((given, at) => {
        const { change, before, after, error } = seen.at(-1 - at) ?? given;
        return { ...given, change, before, after, error };
      });
    },
    summarize: (changes) => {
      const { lines, ...said } = summarize(own(changes));
      return { ...said, lines: steps.length > 1 ? lines.toReversed() : lines };
    },
  };
}
