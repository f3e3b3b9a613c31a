import { isSame } from '../../builders/execute/send.ts';
import { readAll } from '../../builders/resource/find.ts';
import type { Context } from '../../contract/command.ts';
import type { CommandLine, Hint } from '../../contract/command-line.ts';
import type { Plan, ReplacedValue, Step } from '../../contract/plan.ts';
import { valueText } from '../../contract/values/json.ts';
import { mask } from '../../contract/values/text.ts';
import { CliError } from '../../errors/cli-error.ts';
import { deployments } from '../../resources/deployment.ts';
import { variable } from '../../resources/env.ts';
import { isSecretSetting } from '../../resources/setting.ts';
import type { JournalEntry, JournalRun } from '../../writes/journal/entries.ts';
import type { HashedValue } from '../../writes/journal/event.ts';
import { type HashKey, hashMatcher, isRecent } from '../../writes/journal/hash-keys.ts';
import { planChangeSet } from '../env/change-set.ts';
import { earlierState, type RecordedVariable } from '../env/value-at.ts';
import { valueInUndo } from './runs.ts';

/** Values that one run replaced in one stack, and the lines that undo it there. */
interface Recorded {
  readonly stack: string | undefined;
  readonly values: readonly RecordedValue[];
  readonly undo: readonly CommandLine[];
}

interface Restored {
  readonly plans: readonly Plan[];
  readonly refusals: readonly string[];
  readonly hint?: Hint | undefined;
}

/**
 * Plans that restore the values of a run. For values that cannot be restored it returns the reason, and a verified command
 * if there is one. Variables are restored from their history, other values by the undo lines of the run.
 */
export async function restore(context: Context, recorded: Recorded): Promise<Restored> {
  const { stack, values, undo } = recorded;
  const variables = stack === undefined ? [] : values.filter(({ kind }) => kind === 'variable');
  const others = values.filter((one) => !variables.includes(one));
  const isReplayed = ({ path }: CommandLine) =>
    path !== 'action wait' && !(variables.length > 0 && path.startsWith('stack env '));
  const parts: Restored[] = [];
  if (stack !== undefined && variables.length > 0) {
    parts.push(await restoreVariables(context, stack, { ...recorded, values: variables }));
  }
  if (others.length > 0) {
    parts.push(await replayUndo(context, { ...recorded, values: others, undo: undo.filter(isReplayed) }));
  }
  return {
    plans: parts.flatMap(({ plans }) => plans),
    refusals: parts.flatMap(({ refusals }) => refusals),
    hint: parts.find(({ hint }) => hint)?.hint,
  };
}

async function restoreVariables(context: Context, stack_id: string, { values, undo }: Recorded): Promise<Restored> {
  const oldRows = await readAll(context, variable, { stack_id });
  const states = values.map((one) => {
    const undoValue = valueInUndo(undo, { key: one.key, stack_id });
    const row = oldRows.find(({ key }) => key === one.key);
    return earlierState({ ...one, undoValue }, row);
  });
  const refused = states.filter((state) => 'refusal' in state);
  const wanted = states.filter((state) => 'value' in state);
  const [first, ...others] = refused;
  if (!first) {
    return { plans: [planChangeSet(context, wanted, { stack_id, oldRows, origin: 'history' })], refusals: [] };
  }
  const [path, flags] = first.isLost ? ['stack env set', ['--stdin']] : ['stack env history', []];
  const hint =
    others.length === 0 ? { path, operands: [first.key], flags, stack_id } : { path: 'stack env history', stack_id };
  return { plans: [], refusals: refused.map(({ refusal }) => refusal), hint };
}

/**
 * The plans of undo lines. The lines are not trusted: the run must have replaced each value, the value must not have
 * changed since, and the plan must restore the old value.
 */
async function replayUndo(context: Context, { undo, values }: Recorded): Promise<Restored> {
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
  const unknown = steps
    .filter((step) => !step.isIdle && !step.replaces?.length)
    .map(({ name }) => unverifiedText(name));
  const refusals = [...values.flatMap((value) => refusalOf(value, found) ?? []), ...others, ...unknown];
  return { plans, refusals };
}

async function planOf(context: Context, line: CommandLine): Promise<Plan> {
  const { command, input, resolveTarget } = await context.host.readPrinted(line);
  if (command.handler.kind !== 'writes') throw new CliError('rejected', unverifiedText(line.path));
  const plan = await command.handler.plan({ ...context, command: line.path, resolveTarget }, input);
  if (plan.followUp) throw new CliError('rejected', unverifiedText(line.path));
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
    return isValue('before', wanted) ? undefined : unverifiedText(key);
  }
  const shown = (held: unknown) => valueText(maskIfSecret(key, held));
  return `${found.title ?? key} is now ${shown(now)}; the change left ${known === undefined ? 'another value' : shown(known)}`;
}

/** Compares two closing times of a gateway. The recorded one is only an estimate, so 3 seconds of difference are allowed. */
function areNear(one: unknown, other: unknown): boolean {
  const [ms = 0, otherMs = Infinity] = [one, other].map((time) =>
    /^\d{4}-.*Z$/.test(String(time)) ? Date.parse(String(time)) : NaN,
  );
  return Math.abs(ms - otherMs) <= 3_000;
}

function maskIfSecret(key: string, value: unknown): unknown {
  return isSecretSetting({ key, value }) ? mask : value;
}

function unverifiedText(name: string): string {
  return `${name}: its record cannot be verified`;
}

function previewOf(steps: readonly Step[]): Plan['preview'] {
  const all = steps.flatMap(({ replaces = [] }) => replaces);
  const changes = all.map((one) => {
    const { key } = one;
    const [before, after] = [maskIfSecret(key, one.before), maskIfSecret(key, one.after)];
    return { key, action: isIdle(one) ? 'unchanged' : 'update', before, after, reason: null } as const;
  });
  const lines = changes.flatMap(({ key, action, before, after }, at) =>
    action === 'update' ? [`~ ${all[at]?.title ?? key}  ${valueText(before)} -> ${valueText(after)}`] : [],
  );
  const idle = changes.length - lines.length;
  return { changes, lines: [...lines, ...(idle > 0 ? [`= ${idle} unchanged`] : [])] };
}

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

/** A value that a run replaced, as the journal knows it. */
interface RecordedValue extends Omit<RecordedVariable, 'undoValue'> {
  readonly stack: string | undefined;
  readonly kind: string;
  /** The value after, where it is kept. */
  readonly left: unknown;
}

/** The values that a run replaced; throws rejected where the journal does not hold all that it changed. */
export function recordedIn(
  { number, changes, undoable }: JournalRun,
  keys: readonly HashKey[],
  { host, now }: Context,
): readonly RecordedValue[] {
  const refuse = (why: string) => new CliError('rejected', `change ${number} ${why}`, { nothing: 'changed' });
  const made = changes.filter(mayBeMade);
  if (made.length === 0) throw new CliError('rejected', `change ${number} was not made; there is nothing to undo`);
  const reversible = made.filter((change) => !isRedeployment(change));
  if (reversible.length === 0) throw refuse('is a deployment, which cannot be undone');
  // Two commands redeploy after other changes, and an apply is undone as a whole or not at all.
  const isApply = host.firstWord(changes[0].sent.command) === 'apply';
  if (isApply && reversible.length < made.length) throw refuse('also redeployed the stack, which cannot be undone');
  const values = reversible.map(({ sent, answered, ended }) => {
    const { stack } = sent;
    const isQueued = answered?.outcome === 'queued' && ended?.outcome !== 'succeeded';
    return [sent.value ?? [], sent.values ?? []].flat().map((hashed) => {
      const { kind = 'variable', key, left } = hashed;
      const isValue = hashMatcher(sent, hashed, keys);
      if (isValue) return { stack, kind, key, isValue, isQueued, left };
      if (!isExpired(hashed, now()))
        throw refuse('cannot be undone: its record cannot be verified').with({ isUnverified: true });
      const history = { path: 'stack env history', operands: [key], ...(stack !== undefined && { stack_id: stack }) };
      throw refuse('cannot be undone: the hashes of its values expired after 30 days').with({
        hint: kind === 'variable' ? history : recordOf(number),
      });
    });
  });
  if (values.every((of) => of.length > 0)) return asOne(values.flat());
  throw refuse(undoable ? 'cannot be undone here: its state was not recorded' : 'cannot be undone');
}

/** True if the key of the hash was deleted because of its age. Any other record without a key may be forged. */
function isExpired({ hash_key }: HashedValue, now: Date): boolean {
  return hash_key !== undefined && !isRecent(hash_key, now);
}

/** Merges repeated changes of a value, as a ramp makes them: the first old value and the last new one. */
function asOne(values: readonly RecordedValue[]): readonly RecordedValue[] {
  const all = new Map<string, RecordedValue>();
  for (const one of values) {
    const name = JSON.stringify([one.stack, one.kind, one.key]);
    const { isValue } = all.get(name) ?? one;
    all.set(name, { ...one, isValue: (role, value) => (role === 'before' ? isValue : one.isValue)(role, value) });
  }
  return [...all.values()];
}

/** The command that shows the record, where no other hint is possible. */
export function recordOf(number: number): CommandLine {
  return { path: 'history show', operands: [String(number)] };
}

/** True for the deployment at the end of a run with --redeploy: it changes no value. */
export function isRedeployment({ sent }: JournalEntry): boolean {
  return sent.operation === `POST ${deployments.create.path}`;
}

export function mayBeMade({ answered, ended }: JournalEntry): boolean {
  return ended?.outcome !== 'failed' && answered?.outcome !== 'refused' && answered?.outcome !== 'not_sent';
}
