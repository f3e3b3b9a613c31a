import type { Context, FindStacks } from '../../contract/command.ts';
import { stackParam } from '../../contract/params.ts';
import type { RecordOf } from '../../contract/record.ts';
import { CliError } from '../../errors/cli-error.ts';
import { sandboxFile } from '../../files/folders.ts';
import { removeFile } from '../../files/replace-file.ts';
import { createCopy } from '../../sandbox/copy/copy.ts';
import type { State } from '../../sandbox/state.ts';
import {
  copyNotice,
  missingSectionsText,
  peekStoredState,
  replaceStored,
  type StateLocation,
} from '../../sandbox/stored-state.ts';
import { openHashKeys } from '../../writes/journal/hash-keys.ts';
import { journalPath } from '../../writes/journal/journal.ts';
import { type CopiedStack, readSource } from './read-source.ts';

type CloneInput = { readonly anonymous?: boolean; readonly replace?: boolean };

/** Runs `sandbox clone`: the copy replaces the stored sandbox as a whole, or nothing is changed. */
export async function cloneStacks(
  context: Context,
  { anonymous = false, replace = false }: CloneInput,
  findStacks: FindStacks = async () => [String(await context.resolveTarget(stackParam))],
): Promise<readonly RecordOf<typeof CopiedStack>[]> {
  refuseInSandbox(context);
  const location = locateStoredSandbox(context);
  const countChanges = () => peekStoredState(location)?.writes.length ?? 0;
  const changeCount = replace ? 0 : countChanges();
  if (changeCount > 0 && !context.dryRun) await askToReplace(context, changeCount);
  const state = await copyStacks(context, await findStacks(), anonymous);
  if (context.dryRun) {
    context.note('would replace the sandbox with this copy');
    return copiedStackRows(state);
  }
  const isReplaced = await replaceStored(location, state, () => replace || countChanges() === changeCount);
  if (!isReplaced) throw new CliError('rejected', 'the sandbox was changed meanwhile', { nothing: 'changed' });
  removeSandboxJournal(context);
  context.note(copyNotice(state, context.now()) ?? '');
  return copiedStackRows(state);
}

/** Removes the journal of the sandbox, because it is about a state that was replaced. */
export function removeSandboxJournal({ host }: Context): void {
  removeFile(journalPath(host.folders(), true));
}

export function locateStoredSandbox({ host: { folders }, now, warn }: Context): StateLocation {
  const { deleteKeys: onExposed } = openHashKeys({ folders, now, warn });
  return { file: sandboxFile(folders()), now, warn, onExposed };
}

/** Returns a new sandbox state that is a copy of stacks of the service. It names its origin and has no writes yet. */
async function copyStacks(context: Context, uids: readonly string[], anonymous = false): Promise<State> {
  const source = await context.during(
    () => context.command,
    () => readSource(context, uids),
  );
  return createCopy(source, { now: context.now(), address: context.host.baseUrl(), anonymous });
}

export async function copyNamedStacks(context: Context, names: readonly string[]): Promise<State> {
  refuseInSandbox(context);
  const uids = new Set<string>();
  for (const name of names) uids.add(String(await context.resolveTarget(stackParam, name)));
  return copyStacks(context, [...uids]);
}

/** Throws `usage` with --sandbox or STACKOPS_SANDBOX, because the command reads the real service. */
export function refuseInSandbox({ host, command }: Context): void {
  if (!host.embedded()) return;
  const source = host.settings.get('sandbox').origin.kind === 'flag' ? '--sandbox' : 'STACKOPS_SANDBOX';
  throw new CliError('usage', `"${command}" reads the service, not the sandbox of ${source}`);
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
    const parts = [...servers.map(({ row }) => row.uid), ...groups.map(({ row }) => row.id)];
    const places = new Set([uid, account_id, ...parts].map(String));
    const missing = (copy?.without ?? []).filter(({ place }) => place === undefined || places.has(place));
    const counts = { variables: variables.length, servers: servers.length, deployments: deployments.length };
    return { uid, name, environment, ...counts, without: missingSectionsText(missing) || null };
  });
}
