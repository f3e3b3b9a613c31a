import { changeEach } from '../../batch/change-each.ts';
import type { Context } from '../../contract/command.ts';
import { secret } from '../../contract/field.ts';
import { Problem } from '../../problems/problem.ts';
import { environments, type Variable } from '../../resources/env.ts';
import { settingText } from '../../resources/setting-text.ts';
import { queuedBy } from '../queued-change.ts';
import { refuseReadonly } from '../refuse-readonly.ts';
import { changed, type EnvChange, isAmiss, isUnseen, leftAlone, queued, seenAs } from './change.ts';
import { isSecret } from './value.ts';

/** A variable and the value it is to have. */
export interface Step {
  readonly key: string;
  readonly value: string;
  readonly before: Variable | undefined;
  /** The value is not to be shown. */
  readonly hidden?: boolean;
}

export interface Writing {
  readonly stack_id: string;
  /** What an existing variable is said to be. */
  readonly deed: 'updated' | 'rolled back';
  /** Runs right before a variable is written; throws to leave it alone. */
  readonly check?: (step: Step) => Promise<void>;
}

/** Writes what differs, and says what each variable then is. Nothing is written unless all of them may be. */
export async function writeVariables(
  context: Context,
  steps: readonly Step[],
  writing: Writing,
): Promise<readonly EnvChange[]> {
  refuseReadonly(steps.filter(differs).map(({ before }) => before));
  const changes = await changeEach(context, steps, {
    nameOf: ({ key }) => key,
    act: (step) => write(context, step, writing),
    wasIdle: ({ change }) => change === 'unchanged',
    undone: leftAlone,
  });
  if (context.dryRun) return changes;
  const seen = await lookAgain(context, changes, writing);
  for (const { key } of seen.filter(isAmiss))
    context.warn(`the service shows another value of ${key} than the one given`);
  return seen;
}

/** The same writes, whose value no rehearsal prints. */
const secretly = {
  create: withSecretValue(environments.create),
  update: withSecretValue(environments.update),
};

function withSecretValue<O extends typeof environments.create | typeof environments.update>(operation: O): O {
  return { ...operation, params: { ...operation.params, value: secret(operation.params.value) } };
}

function differs({ before, value }: Step): boolean {
  return before === undefined || settingText(before.value) !== value;
}

async function write(context: Context, step: Step, { stack_id, deed, check }: Writing): Promise<EnvChange> {
  const { key, value, before, hidden = false } = step;
  const told = { stack_id, before, asked: value, hidden };
  if (!differs(step)) return changed(key, 'unchanged', told);
  await check?.(step);
  const isRehearsedSecret = context.dryRun && isKept(step, deed);
  const { create, update } = isRehearsedSecret ? secretly : environments;
  const reply = before
    ? await context.call(update, { stack_id, env_var_key: key, value })
    : await context.call(create, { stack_id, key, value });
  const action = queuedBy(reply);
  if (action) return queued(key, action, told);
  return changed(key, before ? deed : 'created', { ...told, after: isVariable(reply) ? reply : undefined });
}

/** True for a secret that was not typed, and so is not to be printed by a rehearsal either. */
function isKept({ value, before, hidden }: Step, deed: Writing['deed']): boolean {
  return hidden === true || (deed === 'rolled back' && before !== undefined && isSecret({ ...before, value }));
}

/** Services also answer with an action, or with no more than `ok`. */
function isVariable(reply: Variable): boolean {
  return reply.key !== undefined && reply.value !== undefined;
}

/** One read for all whose answer did not show them, and after a rollback for all. What cannot be seen stays as asked. */
async function lookAgain(
  context: Context,
  changes: readonly EnvChange[],
  { stack_id, deed }: Writing,
): Promise<readonly EnvChange[]> {
  const isOpen = (change: EnvChange) => isUnseen(change) || (deed === 'rolled back' && change.change === deed);
  if (!changes.some(isOpen)) return changes;
  try {
    const known = await context.call(environments.list, { stack_id });
    return changes.map((change) => {
      const after = isOpen(change) ? known.find(({ key }) => key === change.key) : undefined;
      return after ? seenAs(change, after) : change;
    });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    context.warn(`the change was made, but could not be read back: ${error.message}`);
    return changes;
  }
}
