import { type JournalRun, selectRuns } from '../../changes/journal/entries.ts';
import { openHashKeys } from '../../changes/journal/hash-keys.ts';
import type { Command, Context } from '../../contract/command.ts';
import { commandText } from '../../contract/command-line.ts';
import { optional, text } from '../../contract/field.ts';
import type { Plan } from '../../contract/plan.ts';
import { combinePlans, nameIn } from '../../kinds/perform/combine-plans.ts';
import { changeRecord } from '../../kinds/perform/summary.ts';
import { write } from '../../kinds/write.ts';
import { Problem } from '../../problems/problem.ts';
import { environments } from '../../resources/env.ts';
import { gateways } from '../../resources/gateway.ts';
import { processes } from '../../resources/process.ts';
import { servers } from '../../resources/server.ts';
import { serverSettings } from '../../resources/server-setting.ts';
import { describeStack } from '../../resources/stack.ts';
import { stackSettings } from '../../resources/stack-setting.ts';
import { tags } from '../../resources/tag.ts';
import { users } from '../../resources/user.ts';
import { variants } from '../../resources/variant.ts';
import { countsOf } from '../env/change-set.ts';
import type { Services } from '../services.ts';
import { actsThere, destinationOf } from './destination.ts';
import { nearestTo } from './nearest.ts';
import { isDeployment, isVariable, type RecordedValue, recordedIn } from './recorded.ts';
import { type HistoryServices, type Restoring, replayUndo } from './replay.ts';
import { linesFor, rowOf, runNumber, runOf } from './runs.ts';
import { restoreVariables } from './variables.ts';

/** `history undo`: restores the values that one run replaced, where they are still what it left. */
export function undoCommand(services: HistoryServices): Command {
  return write({
    about: 'Undo a change, unless somebody changed the same since.',
    params: {
      number: optional({ ...runNumber, about: 'Number of the change (default: the newest that is not undone).' }),
    },
    positionals: ['number'],
    examples: ['stackops history undo', 'stackops history undo 12 --dry-run', 'stackops history undo 12 -y'],
    calls: [
      ...[environments.list, environments.create, environments.update, environments.delete],
      ...[variants.list, variants.update, processes.list, processes.scale, servers.list],
      ...[tags.list, tags.replace, tags.patch, tags.clear, stackSettings.list, stackSettings.update],
      ...[serverSettings.list, serverSettings.update, users.get, users.update, gateways.list, gateways.update],
    ],
    record: changeRecord({ stack: optional(text('The stack, of several.')), key: text('What was restored.') }),
    isList: true,
    confirm: { level: 'yes', act: 'Undo change' },
    exits: [
      [3, 'no change with that number, or none that can be undone'],
      [6, 'it cannot be undone, or something is no longer what the change left'],
    ],
    plan: async (context, { number }) => {
      const run = number === undefined ? newestOf(services, context) : runOf(services, context, number);
      const plan = await planUndo(services, context, run);
      const { command } = run.changes[0].sent;
      const counts = countsOf((plan.preview?.changes ?? []).map(({ action }) => action));
      const facts = async () => [
        ...(number === undefined ? [`stackops ${command.join(' ')}`] : []),
        ...(await Promise.all(stacksOf(run).map((stack) => describeStack(context, stack)))),
        ...counts,
      ];
      return { ...plan, ask: { name: String(run.number), facts } };
    },
  });
}

function stacksOf({ changes }: JournalRun): readonly string[] {
  return [...new Set(changes.flatMap(({ sent: { stack } }) => stack ?? []))];
}

/** The newest change made from here that can be undone, is no undo, and is not undone; throws not_found. */
function newestOf(services: Services, context: Context): JournalRun {
  const undone = new Set<number>();
  for (const run of selectRuns(() => linesFor(services, context), {})) {
    const { sent } = run.changes[0];
    const isUndone = undone.has(run.number);
    if (isUndone || !isUndoable(services, context, run)) continue;
    if (sent.undoes !== undefined) undone.add(sent.undoes);
    // Only an undo begins so.
    else if (sent.command[0] !== 'history') return run;
  }
  throw new Problem('not_found', 'no change of this profile can be undone', { hint: { path: 'history list' } });
}

function isUndoable(services: Services, context: Context, run: JournalRun): boolean {
  try {
    return actsThere(run.changes[0].sent, services) && recordedHere(services, context, run).length > 0;
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}

function recordedHere(services: Services, context: Context, run: JournalRun): readonly RecordedValue[] {
  const keys = openHashKeys({ folders: services.folders, ...context }).recent();
  return recordedIn(run, { keys, now: context.now(), undoText: rowOf(run, services).undo });
}

/** Restores all that a run replaced, the last of it first. Throws rejected with a line for each value that cannot be. */
async function planUndo(services: HistoryServices, context: Context, run: JournalRun): Promise<Plan> {
  refuseElsewhere(run, services);
  const recorded = recordedHere(services, context, run);
  const all = await restoringOf(services, { ...context, call: undoingCall(context, run) }, run, recorded);
  const stacks = stacksOf(run);
  const nameOf = (stack: unknown) => {
    if (stacks.length < 2 || stack === undefined) return undefined;
    return String(run.changes.find(({ sent }) => sent.stack === stack)?.sent.stack_name ?? stack);
  };
  const refused = all.filter(({ refusals }) => refusals.length > 0);
  if (refused.length > 0) {
    const lines = refused.flatMap(({ refusals }) =>
      refusals.map(({ stack_id, text }) => nameIn(nameOf(stack_id), text)),
    );
    const hint = refused[0]?.hint ?? rowOf(run, services).undo ?? nearestTo(run);
    const message = [`change ${run.number} cannot be undone; nothing was changed`, ...lines].join('\n');
    throw new Problem('rejected', message, hint === undefined ? {} : { hint });
  }
  if (run.changes.some(isDeployment)) {
    context.warn(`change ${run.number} also redeployed the stack; its undo does not`);
  }
  const parts = all.flatMap(({ plans }) => plans).map(({ stack_id, plan }) => ({ stack: nameOf(stack_id), plan }));
  return parts.length === 1 && parts[0] ? parts[0].plan : combinePlans(parts);
}

/** The journal keeps which change an undo was for. */
function undoingCall({ call }: Context, { number: undoes }: JournalRun): Context['call'] {
  return (operation, input, more) => call(operation, input, { ...more, undoes });
}

async function restoringOf(
  services: HistoryServices,
  context: Context,
  run: JournalRun,
  recorded: readonly RecordedValue[],
): Promise<readonly Restoring[]> {
  const undo = (run.undoable?.undo ?? []).toReversed();
  const all: Restoring[] = [];
  for (const stack_id of stacksOf(run).toReversed()) {
    const values = recorded.filter(({ kind, stack }) => isVariable(kind) && stack === stack_id).toReversed();
    if (values.length > 0) all.push(await restoreVariables(context, { stack_id, values, undo }));
  }
  const values = recorded.filter(({ kind }) => !isVariable(kind));
  if (values.length === 0) return all;
  // What is waited for is over by then, and variables are restored without their commands.
  const lines = undo.filter(({ path }) => path !== 'action wait' && !path.startsWith('stack env '));
  return [...all, await replayUndo(services, context, { undo: lines, values })];
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
