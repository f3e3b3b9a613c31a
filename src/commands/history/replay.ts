import { isSame } from '../../builders/execute/send.ts';
import { readAll } from '../../builders/resource/find.ts';
import type { Context } from '../../contract/command.ts';
import type { CommandLine, Hint } from '../../contract/command-line.ts';
import type { Plan, ReplacedValue, Step } from '../../contract/plan.ts';
import { valueText } from '../../contract/values/json.ts';
import { mask } from '../../contract/values/text.ts';
import { CliError } from '../../errors/cli-error.ts';
import { variable } from '../../resources/env.ts';
import { isSecretSetting } from '../../resources/setting.ts';
import { planChangeSet } from '../env/change-set.ts';
import { earlierState } from '../env/value-at.ts';
import type { RecordedValue } from './recorded.ts';
import { keptValue } from './runs.ts';

/** Values that one run replaced in one stack, and the lines that undo it there. */
interface Recorded {
  readonly stack: string | undefined;
  readonly values: readonly RecordedValue[];
  readonly undo: readonly CommandLine[];
}

/**
 * The plans that restore values, or why they cannot be restored, and what restores them all the same where that is verified.
 * One run replaces variables, or what its own undo lines restore; by then what those wait for is over.
 */
export async function restore(
  context: Context,
  recorded: Recorded,
): Promise<{
  readonly plans: readonly Plan[];
  readonly refusals: readonly string[];
  readonly hint?: Hint | undefined;
}> {
  const { stack, values, undo } = recorded;
  if (stack !== undefined && values.every(({ kind }) => kind === 'variable')) {
    return restoreVariables(context, stack, recorded);
  }
  return replayUndo(context, { ...recorded, undo: undo.filter(({ path }) => path !== 'action wait') });
}

/** With the values of their own history; deleted ones with those in the undo of their deletion. */
async function restoreVariables(context: Context, stack_id: string, { values, undo }: Recorded) {
  const known = await readAll(context, variable, { stack_id });
  const states = values.map((one) => {
    const kept = keptValue(undo, { key: one.key, stack_id });
    const row = known.find(({ key }) => key === one.key);
    return earlierState({ ...one, kept }, row);
  });
  const refused = states.filter((state) => 'refusal' in state);
  const wanted = states.filter((state) => 'value' in state);
  const [first, ...others] = refused;
  if (!first) {
    return { plans: [planChangeSet(context, wanted, { stack_id, known, origin: 'history' })], refusals: [] };
  }
  const [path, flags] = first.isLost ? ['stack env set', ['--stdin']] : ['stack env history', []];
  const hint =
    others.length === 0 ? { path, operands: [first.key], flags, stack_id } : { path: 'stack env history', stack_id };
  return { plans: [], refusals: refused.map(({ refusal }) => refusal), hint };
}

/**
 * The plans that undo lines make here. Nothing that they say is believed: each value must be what the run left, become
 * what was before, and be one that the run replaced.
 */
async function replayUndo(context: Context, { undo, values }: Recorded) {
  const plans: Plan[] = [];
  try {
    for (const line of undo) plans.push(inReverse(await planOf(context, line)));
  } catch (error) {
    const kinds = ['usage', 'not_found', 'ambiguous', 'rejected'];
    if (!(error instanceof CliError) || !kinds.includes(error.kind)) throw error;
    return { plans: [], refusals: [error.fault] };
  }
  const steps = plans.flatMap((plan) => plan.steps);
  const found = steps.flatMap(({ replaces = [], stack_id }) => replaces.map((one) => ({ ...one, stack: stack_id })));
  const isKnown = (one: Found) => isIdle(one) || values.some((value) => areSame(value, one));
  const others = found.filter((one) => !isKnown(one)).map(({ key }) => `${key} would change, too`);
  const unknown = steps.filter((step) => !step.isIdle && !step.replaces?.length).map(({ name }) => unverified(name));
  const refusals = [...values.flatMap((value) => refusalOf(value, found) ?? []), ...others, ...unknown];
  return { plans, refusals };
}

async function planOf(context: Context, line: CommandLine): Promise<Plan> {
  const { command, input, resolveTarget } = await context.host.readPrinted(line);
  if (command.handler.kind !== 'writes') throw new CliError('rejected', unverified(line.path));
  const plan = await command.handler.plan({ ...context, command: line.path, resolveTarget }, input);
  if (plan.followUp) throw new CliError('rejected', unverified(line.path));
  return plan;
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
  const shown = (held: unknown) => valueText(masked(key, held));
  return `${found.title ?? key} is now ${shown(now)}; the change left ${known === undefined ? 'another value' : shown(known)}`;
}

/** When the service closes a gateway could only be guessed. */
function areNear(one: unknown, other: unknown): boolean {
  const [ms = 0, otherMs = Infinity] = [one, other].map((time) =>
    /^\d{4}-.*Z$/.test(String(time)) ? Date.parse(String(time)) : NaN,
  );
  return Math.abs(ms - otherMs) <= 3_000;
}

function masked(key: string, value: unknown): unknown {
  return isSecretSetting({ key, value }) ? mask : value;
}

function unverified(name: string): string {
  return `${name}: its record cannot be verified`;
}

function previewOf(steps: readonly Step[]): Plan['preview'] {
  const all = steps.flatMap(({ replaces = [] }) => replaces);
  const changes = all.map((one) => {
    const { key } = one;
    const [before, after] = [masked(key, one.before), masked(key, one.after)];
    return { key, action: isIdle(one) ? 'unchanged' : 'update', before, after, reason: null } as const;
  });
  const lines = changes.flatMap(({ key, action, before, after }, at) =>
    action === 'update' ? [`~ ${all[at]?.title ?? key}  ${valueText(before)} -> ${valueText(after)}`] : [],
  );
  const idle = changes.length - lines.length;
  return { changes, lines: [...lines, ...(idle > 0 ? [`= ${idle} unchanged`] : [])] };
}

/** The plan with its steps in reverse order, its records in the order of their names, and without a follow-up. */
function inReverse({ steps, finish, summarize }: Plan): Plan {
  const reversed = steps.toReversed();
  return {
    preview: previewOf(reversed),
    steps: reversed.map((step) => ({ ...step, id: { key: step.name } })),
    finish: async (changes, replies) => {
      const seen = await finish?.(changes.toReversed(), replies.toReversed());
      return seen?.toReversed() ?? changes;
    },
    summarize: (changes) => {
      const own = changes.toReversed().map((change, at) => ({ ...change, ...steps[at]?.id }));
      const { lines, ...said } = summarize(own);
      return { ...said, lines: steps.length > 1 ? lines.toReversed() : lines };
    },
  };
}
