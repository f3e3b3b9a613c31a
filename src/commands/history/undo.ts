import type { JournalEntry, JournalRun } from '../../changes/journal/entries.ts';
import { type HashKey, isRecent, openHashKeys } from '../../changes/journal/hash-keys.ts';
import { hashMatcher } from '../../changes/journal/hashed-value.ts';
import type { Command, Context } from '../../contract/command.ts';
import { commandText } from '../../contract/command-line.ts';
import type { Plan } from '../../contract/plan.ts';
import { readAll } from '../../kinds/resource/find.ts';
import { write } from '../../kinds/write.ts';
import { Problem } from '../../problems/problem.ts';
import { deployments } from '../../resources/deployment.ts';
import { environments, variable } from '../../resources/env.ts';
import { describeStack } from '../../resources/stack.ts';
import { planChangeSet } from '../env/change-set.ts';
import { earlierState, type RecordedVariable } from '../env/value-at.ts';
import { variableChangeRecord } from '../env/variable.ts';
import type { Services } from '../services.ts';
import { actsThere, destinationOf } from './destination.ts';
import { rowOf, runNumber, runOf } from './runs.ts';

/** `history undo`: restores the environment variables that one run set, where their state is still what it left. */
export function undoCommand(services: Services): Command {
  return write({
    about: 'Undo a change of environment variables that nobody changed since.',
    params: { number: runNumber },
    positionals: ['number'],
    examples: ['stackops history undo 12 --dry-run', 'stackops history undo 12 -y'],
    calls: [environments.list, environments.update, environments.delete],
    record: variableChangeRecord,
    isList: true,
    confirm: { level: 'yes', act: 'Undo change' },
    exits: [
      [3, 'no change with that number'],
      [6, 'its state cannot be compared, or is no longer what the change left'],
    ],
    plan: async (context, { number }) => {
      const run = runOf(services, context, number);
      const keys = openHashKeys({ folders: services.folders, ...context }).recent();
      refuseUnverified(run, keys, context.now());
      refuseElsewhere(run, services);
      const hint = rowOf(run, services).undo;
      const recorded = recordedIn(run, keys, hint === undefined ? {} : { hint });
      if (run.changes.some(isDeployment)) context.warn(`change ${number} also redeployed the stack; its undo does not`);
      return planUndo(context, number, recorded);
    },
  });
}

interface Recorded {
  readonly stack_id: string;
  readonly variables: readonly RecordedVariable[];
}

async function planUndo(context: Context, number: number, { stack_id, variables }: Recorded): Promise<Plan> {
  const known = await readAll(context, variable, { stack_id });
  const states = variables.map((one) =>
    earlierState(
      one,
      known.find(({ key }) => key === one.key),
      context.audience,
    ),
  );
  const refused = states.filter((state) => 'refusal' in state);
  const [first, ...others] = refused;
  if (first) {
    const lines = [`change ${number} cannot be undone; nothing was changed`, ...refused.map(({ refusal }) => refusal)];
    const operands = others.length === 0 ? [first.key] : [];
    throw new Problem('rejected', lines.join('\n'), { hint: { path: 'stack env history', operands, stack_id } });
  }
  const wanted = states.filter((state) => 'value' in state);
  const plan = planChangeSet(context, wanted, { stack_id, known, origin: 'history' });
  return {
    ...plan,
    ask: {
      name: String(number),
      facts: async () => [await describeStack(context, stack_id), ...((await plan.ask?.facts()) ?? [])],
    },
  };
}

/** Throws rejected for a change whose hashes have no key any more, or never had one: others may have written them. */
function refuseUnverified({ number, changes }: JournalRun, keys: readonly HashKey[], now: Date): void {
  const { stack, value } = changes.find(({ sent }) => sent.value && !hashMatcher(sent, keys))?.sent ?? {};
  if (!value) return;
  const isOver = value.hash_key !== undefined && !isRecent(value.hash_key, now);
  const why = isOver ? 'the hashes of its values expired after 30 days' : 'its record cannot be verified';
  throw new Problem('rejected', `change ${number} cannot be undone: ${why}; nothing was changed`, {
    hint: { path: 'stack env history', operands: [value.key], ...(stack !== undefined && { stack_id: stack }) },
  });
}

/** Throws usage where this command would act at another service, or for another account, than the change did. */
function refuseElsewhere({ number, changes }: JournalRun, services: Services): void {
  const { sent } = changes[0];
  if (actsThere(sent, services)) return;
  const { profile, address, account } = sent;
  const where = [
    address === undefined ? 'in the sandbox' : `with profile ${profile} at ${address}`,
    ...(account === undefined ? [] : [`for account ${account}`]),
  ].join(' ');
  const hint = commandText({ path: 'history undo', operands: [String(number)] }, destinationOf(sent, services));
  throw new Problem(
    'usage',
    `change ${number} was made ${where}; nothing was changed`,
    hint === undefined ? {} : { hint },
  );
}

/** The variables that a run set; throws rejected where the journal does not hold the state of all it changed. */
function recordedIn(
  { number, changes }: JournalRun,
  keys: readonly HashKey[],
  details: { readonly hint?: string },
): Recorded {
  const made = changes.filter((change) => mayBeMade(change) && !isDeployment(change));
  const stacks = [...new Set(made.map(({ sent }) => sent.stack))];
  const refuse = (why: string) => new Problem('rejected', `${why}; nothing was changed`, details);
  if (made.length === 0) throw refuse(`change ${number} set no environment variable`);
  if (made.some(({ sent }) => sent.method === 'DELETE'))
    throw refuse(`change ${number} includes a deletion, which cannot be undone`);
  const variables = made.flatMap((change) => recordedOf(change, keys));
  const [stack_id, ...others] = stacks;
  if (variables.length < made.length || stack_id === undefined)
    throw refuse(`change ${number} cannot be undone here: its state was not recorded`);
  if (others.length > 0) throw refuse(`change ${number} is of several stacks, which are undone one by one`);
  return { stack_id, variables };
}

function recordedOf({ sent, answered, ended }: JournalEntry, keys: readonly HashKey[]): readonly RecordedVariable[] {
  const isValue = hashMatcher(sent, keys);
  const isQueued = answered?.outcome === 'queued' && ended?.outcome !== 'succeeded';
  return sent.value && isValue ? [{ key: sent.value.key, isValue, isQueued }] : [];
}

/** With --redeploy a run ends with one, which changes no variable. */
function isDeployment({ sent }: JournalEntry): boolean {
  return sent.operation === `POST ${deployments.create.path}`;
}

/** False where the change is known not to have been made. */
function mayBeMade({ answered, ended }: JournalEntry): boolean {
  return ended?.outcome !== 'failed' && answered?.outcome !== 'refused' && answered?.outcome !== 'not_sent';
}
