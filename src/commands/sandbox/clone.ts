import type { Context, FindStacks } from '../../contract/command.ts';
import { stackParam } from '../../contract/params.ts';
import type { RecordOf } from '../../contract/record.ts';
import { CliError } from '../../errors/cli-error.ts';
import { sandboxFile } from '../../files/folders.ts';
import { removeFile } from '../../files/replace-file.ts';
import { createCopy } from '../../sandbox/copy/copy.ts';
import type { State } from '../../sandbox/state.ts';
import { copyNotice, missingText, peekStored, replaceStored, type StateLocation } from '../../sandbox/stored-state.ts';
import { openHashKeys } from '../../writes/journal/hash-keys.ts';
import { journalFile } from '../../writes/journal/journal.ts';
import { type CopiedStack, readSource } from './read-source.ts';

interface CloneInput {
  readonly anonymous?: boolean;
  readonly replace?: boolean;
}

/** Runs `sandbox clone`: the copy replaces the stored sandbox as a whole, or nothing is changed. */
export async function cloneStacks(
  context: Context,
  { anonymous = false, replace = false }: CloneInput,
  findStacks: FindStacks = async () => [String(await context.resolveTarget(stackParam))],
): Promise<readonly RecordOf<typeof CopiedStack>[]> {
  refuseInSandbox(context);
  const location = locateStoredSandbox(context);
  const changeCount = replace ? 0 : countChanges(peekStored(location));
  if (changeCount > 0 && !context.dryRun) await askToReplace(context, changeCount);
  const state = await copyStacks(context, await findStacks(), anonymous);
  if (context.dryRun) {
    context.note('would replace the sandbox with this copy');
    return copiedStackRows(state);
  }
  const isReplaced = await replaceStored(location, state, (read) => replace || countChanges(read()) === changeCount);
  if (!isReplaced) throw new CliError('rejected', 'the sandbox was changed meanwhile', { nothing: 'changed' });
  removeSandboxJournal(context);
  context.note(copyNotice(state, context.now()) ?? '');
  return copiedStackRows(state);
}

/** Removes the journal of the sandbox, because it is about a state that was replaced. */
export function removeSandboxJournal({ host }: Context): void {
  removeFile(journalFile(host.folders(), true));
}

export function locateStoredSandbox({ host: { folders }, now, warn }: Context): StateLocation {
  const { deleteKeys: onExposed } = openHashKeys({ folders, now, warn });
  return { file: sandboxFile(folders()), now, warn, onExposed };
}

/** Returns a new sandbox state that is a copy of stacks of the service. It names its origin and has no writes yet. */
export async function copyStacks(context: Context, uids: readonly string[], anonymous = false): Promise<State> {
  const source = await context.during(
    () => context.command,
    () => readSource(context, uids),
  );
  return createCopy(source, { now: context.now(), address: context.host.baseUrl(), anonymous });
}

/** Copies the stacks that `--clone` names, each once. */
export async function copyNamedStacks(context: Context, names: readonly string[]): Promise<State> {
  refuseInSandbox(context);
  const uids: string[] = [];
  for (const name of names) uids.push(String(await context.resolveTarget(stackParam, name)));
  return copyStacks(context, [...new Set(uids)]);
}

/** Throws `usage` with --sandbox or STACKOPS_SANDBOX, because the command reads the real service. */
export function refuseInSandbox({ host, command }: Context): void {
  if (!host.embedded()) return;
  const isFlag = host.settings.get('sandbox').origin.kind === 'flag';
  const message = `"${command}" reads the service, not the sandbox of ${isFlag ? '--sandbox' : 'STACKOPS_SANDBOX'}`;
  throw new CliError('usage', message);
}

function countChanges(state: State | undefined): number {
  return state?.writes.length ?? 0;
}

async function askToReplace({ ask, command }: Context, count: number): Promise<void> {
  const changesText = count === 1 ? 'one change' : `${count} changes`;
  if (!ask) {
    const message = `"${command}" needs --replace: the sandbox has ${changesText} (no terminal)`;
    throw new CliError('usage', message, { nothing: 'changed', correction: { add: ['--replace'] } });
  }
  const answer = await ask(`Replace the sandbox (${changesText})? [y/N] `);
  if (/^y(es)?$/i.test(answer?.trim() ?? '')) return;
  throw new CliError('interrupted', 'cancelled', { nothing: 'changed', exitCode: 1 });
}

function copiedStackRows({ stacks, copy }: State): readonly RecordOf<typeof CopiedStack>[] {
  return stacks.map(({ row: { uid, name, environment, account_id }, variables, servers, groups, deployments }) => {
    const placeIds = new Set(
      [uid, account_id, ...servers.map(({ row }) => row.uid), ...groups.map(({ row }) => row.id)].map(String),
    );
    const missing = (copy?.without ?? []).filter(({ place }) => place === undefined || placeIds.has(place));
    const counts = { variables: variables.length, servers: servers.length, deployments: deployments.length };
    return { uid, name, environment, ...counts, without: missing.length === 0 ? null : missingText(missing) };
  });
}
