import { combinePlans, withStackPrefix } from '../../builders/execute/combine-plans.ts';
import { changeRecord } from '../../builders/execute/summary.ts';
import { write } from '../../builders/write.ts';
import type { Command, Context } from '../../contract/command.ts';
import { type CommandLine, commandText, type Hint, withoutConsentFlags } from '../../contract/command-line.ts';
import { optional, text } from '../../contract/field.ts';
import type { CommandHost } from '../../contract/host.ts';
import type { Operation } from '../../contract/operation.ts';
import { stackParam } from '../../contract/params.ts';
import type { Plan, StackPlan } from '../../contract/plan.ts';
import { CliError, expectCliError, rethrowAs } from '../../errors/cli-error.ts';
import { gateways } from '../../resources/account.ts';
import { databases, databaseUsers } from '../../resources/database.ts';
import { deployments } from '../../resources/deployment.ts';
import { environments } from '../../resources/env.ts';
import { processes } from '../../resources/process.ts';
import { servers } from '../../resources/server.ts';
import { serverSettings, stackSettings } from '../../resources/setting.ts';
import { readStackTitle, titleOf } from '../../resources/stack.ts';
import { tags } from '../../resources/tag.ts';
import { devices, users } from '../../resources/user.ts';
import { variants } from '../../resources/variant.ts';
import { isOpenChange, type JournalRun } from '../../writes/journal/entries.ts';
import { actionCountTexts } from '../env/change-set.ts';
import { historyShowCommand, isRedeployment, planRestore, replacedValues } from './replay.ts';
import {
  actsAtOrigin,
  isOfProfile,
  journalRuns,
  knownDestination,
  mayHaveBeenMade,
  readRun,
  runNumberField,
} from './runs.ts';
import { historyRow, typedCommandText } from './show.ts';

/** `history undo`: restores the values that one run replaced, unless they changed since. */
export const undoCommand: Command = write({
  moreEffects: ['reads_machine'],
  about: 'Undo a change, unless the same was changed again since.',
  params: {
    number: optional({ ...runNumberField, about: 'Number of the change (default: the newest that is not undone).' }),
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
  printsList: true,
  confirm: { level: 'yes', act: 'Undo change' },
  exits: [
    [3, 'no change with that number, or none left to undo'],
    [6, 'it cannot be undone, or something is no longer what the change left'],
  ],
  plan: async (context, { number }) => {
    const run = number === undefined ? newestUndoableRun(context) : readRun(context, number);
    refuseOtherOrigin(run, context.host);
    await resolveStackNames(context, run);
    const explain = async (error: CliError) => {
      if (error.kind !== 'rejected') return error;
      const extraLines = number === undefined ? await olderUndoLines(context) : [];
      // The row has no undo if the recorded undo would show a credential.
      const undoOrNearest = () => (historyRow(run, context.host).undo && run.undoable?.undo) || nearestCommand(run);
      const { hint = undoOrNearest(), isUnverifiedEntry } = error.details;
      return error.with({ hint: isUnverifiedEntry ? undefined : hint, lines: extraLines });
    };
    const plan = await planUndo(context, run).catch(rethrowAs(explain));
    const stacks = new Set(run.changes.flatMap(({ sent: { stack } }) => stack ?? []));
    const details = async () => [
      ...(number === undefined ? [`stackops ${typedCommandText(run.changes[0].sent.command)}`] : []),
      ...(await Promise.all([...stacks].map((stack) => readStackTitle(context, stack)))),
      ...actionCountTexts((plan.preview?.changes ?? []).map(({ action }) => action)),
    ];
    return { ...plan, ask: { name: String(run.number), details } };
  },
});

/** By operation without an undo: the command that comes closest, or the help of a command that needs values. */
const nearestCommands: readonly (readonly [Operation, string])[] = [
  [deployments.create, 'deployment rollback'],
  [deployments.cancel, 'redeploy'],
  [variants.update, 'deployment rollback'],
  [databases.delete, 'db create --help'],
  [databaseUsers.delete, 'db user create --help'],
  [gateways.delete, 'gateway create --help'],
  [devices.delete, 'user device register --help'],
];

function nearestCommand({ changes }: JournalRun): CommandLine | undefined {
  const { operation, stack, check } = changes[0].sent;
  const path = nearestCommands.find(([one]) => operation === `${one.method} ${one.path}`)?.[1];
  if (path === undefined) return check;
  return { path, ...(stack !== undefined && !path.endsWith('--help') && { stack_id: stack }) };
}

/** Looks up the stack names of the run, so that commands use each name that still means the same stack. */
async function resolveStackNames({ resolveTarget, host }: Context, { changes, undoable }: JournalRun): Promise<void> {
  const names = new Set(changes.flatMap(({ sent: { stack_name } }) => stack_name ?? []));
  // In the journal a change of tags has no stack; only its undo command names the stack.
  const uids = names.size > 0 ? [] : (undoable?.undo ?? []).flatMap(({ stack_id }) => stack_id ?? []);
  const rows = uids.length > 0 ? await host.listStacks().catch(() => undefined) : undefined;
  for (const row of rows ?? []) if (uids.includes(row.uid)) names.add(titleOf(row));
  for (const name of names) {
    await resolveTarget(stackParam, name).catch((error: unknown) => {
      if (!(error instanceof CliError) || error.kind === 'interrupted') throw error;
    });
  }
}

function newestUndoableRun(context: Context): JournalRun {
  for (const run of undoableRuns(context)) return run;
  throw new CliError('not_found', 'no change of this profile can be undone', { hint: { path: 'history list' } });
}

async function olderUndoLines(context: Context): Promise<readonly string[]> {
  const [, ...older] = undoableRuns(context);
  // Each try reads from the service, so there are at most five.
  for (const run of older.filter(({ changes }) => actsAtOrigin(changes[0].sent, context.host)).slice(0, 5)) {
    const plan = await planUndo({ ...context, warn: () => undefined }, run).catch(expectCliError);
    if (plan instanceof CliError || plan.steps.every(({ isIdle }) => isIdle)) continue;
    const changeText = typedCommandText(withoutConsentFlags(run.changes[0].sent.command));
    return [`history undo ${run.number} undoes an older change: ${changeText}`];
  }
  return [];
}

/** Yields the runs of this profile that changed something, are no undo themselves and are not undone, newest first. */
function* undoableRuns(context: Context): Generator<JournalRun> {
  const undoneNumbers = new Set<number>();
  for (const run of journalRuns(context)) {
    const { sent } = run.changes[0];
    const hasMadeChange = run.changes.some(mayHaveBeenMade);
    if (undoneNumbers.has(run.number) || !hasMadeChange || !isOfProfile(sent, context.host)) continue;
    // An undo that was refused, or whose outcome is unknown, may be repeated, because it changes only remaining values.
    const isFullyMade = run.changes.every((change) => mayHaveBeenMade(change) && !isOpenChange(change));
    if (sent.undoes !== undefined && isFullyMade) undoneNumbers.add(sent.undoes);
    if (sent.undoes === undefined) yield run;
  }
}

async function planUndo(context: Context, run: JournalRun): Promise<Plan> {
  const { number, changes, undoable } = run;
  const recordedValues = replacedValues(run, context);
  const undoLines = (undoable?.undo ?? []).toReversed();
  const undoContext: Context = {
    ...context,
    call: (operation, input, more) => context.call(operation, input, { ...more, undoes: number }),
  };
  const stacks = [...new Set(recordedValues.map(({ stack }) => stack))].toReversed();
  // The journal records no stack for tags, whose entity is found by its UID.
  const stackOf = ({ path, stack_id }: CommandLine) => (path.startsWith('tags ') ? undefined : stack_id);
  const stackPlans: StackPlan[] = [];
  const refusals: string[] = [];
  let hint: Hint | undefined;
  for (const stack of stacks) {
    const values = recordedValues.filter((one) => one.stack === stack).toReversed();
    const lines = undoLines.filter((line) => stacks.length === 1 || stackOf(line) === stack);
    const { stack_name = stack ?? '' } = changes.find(({ sent }) => sent.stack === stack)?.sent ?? {};
    const name = stacks.length > 1 ? stack_name : '';
    for (const restoration of await planRestore(undoContext, stack, { values, undo: lines })) {
      stackPlans.push(...restoration.plans.map((plan) => ({ stack: name, plan })));
      refusals.push(...restoration.refusals.map((text) => withStackPrefix(name, text)));
      hint ??= restoration.hint;
    }
  }
  if (refusals.length > 0) {
    const details = { nothing: 'changed', lines: refusals, hint: hint ?? historyShowCommand(number) } as const;
    throw new CliError('rejected', `change ${number} cannot be undone`, details);
  }
  if (changes.some(isRedeployment)) context.warn(`change ${number} also redeployed the stack; its undo does not`);
  return stackPlans.length === 1 && stackPlans[0] ? stackPlans[0].plan : combinePlans(stackPlans);
}

function refuseOtherOrigin({ number, changes }: JournalRun, host: CommandHost): void {
  const { sent } = changes[0];
  if (actsAtOrigin(sent, host)) return;
  const { profile, address, account } = sent;
  const where = address === undefined ? 'in the sandbox' : `with profile ${profile} at ${address}`;
  const message = `change ${number} was made ${where}${account === undefined ? '' : ` for account ${account}`}`;
  const destination = knownDestination(sent, host);
  const hint = destination && commandText({ path: 'history undo', operands: [String(number)] }, destination);
  throw new CliError('usage', message, { nothing: 'changed', hint });
}
