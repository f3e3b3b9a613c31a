import { dirname, join } from 'node:path';
import type { Context, FindStacks } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import { many, oneOf, optional, text, type Values } from '../../contract/field.ts';
import { stackParam } from '../../contract/params.ts';
import { CliError, exitCodes, rethrowAs } from '../../errors/cli-error.ts';
import { maxFileBytes } from '../../files/named-file.ts';
import { titleOf } from '../../resources/stack.ts';
import { type StackFile, type StackInFile, sectionNames } from '../../state/entry.ts';
import { parseStackFile } from '../../state/file/parse.ts';
import type { LockLines } from '../../state/lock.ts';
import { readLock } from './lock-file.ts';

export const fileParams = {
  file: optional(text('The file (default: stackops.yaml).', { nameKind: 'file' })),
  stack_id: optional(stackParam),
  only: optional(many(oneOf(sectionNames, 'Section.'), 'Only these sections.', { placeholder: 'sections' })),
  lock: optional(text('The lock (default: stackops.lock beside the file).', { nameKind: 'file', placeholder: 'path' })),
};

const pathPattern = text('Path; `*` matches any text.', { nameKind: 'path of a file' });
export const ignoreFlag = optional(many(pathPattern, 'Leave these paths alone.', { placeholder: 'paths' }));

export interface FileInput extends Omit<Values<typeof fileParams>, 'stack_id'> {
  readonly ignore?: readonly string[];
  readonly take?: 'file' | 'service';
}

export interface OpenFile extends StackFile {
  readonly file: string;
  readonly stacks: readonly KnownStack[];
  /** True if the file has one stack, so new entries go into the base. */
  readonly hasOneStack: boolean;
  readonly lockFile: string;
  readonly lock: LockLines | undefined;
}

export function filePaths({ file = 'stackops.yaml', lock }: FileInput) {
  return { file, lockFile: lock ?? join(dirname(file), 'stackops.lock') };
}

/** Throws `usage` for an unusable file, lock or choice of stacks, and `not_found` for a stack that does not exist. */
export async function openStackFile(context: Context, input: FileInput, findStacks?: FindStacks): Promise<OpenFile> {
  const { file, lockFile } = filePaths(input);
  const addHint = async (error: CliError) =>
    input.file === undefined ? error.with({ hint: await pullHint(context) }) : error;
  const content = await context.readText(file, maxFileBytes).catch(rethrowAs(addHint));
  const stackFile = await parseStackFile(content, file);
  const lock = readLock(lockFile);
  const stacks = await chosenStacks(context, file, stackFile.stacks, findStacks);
  return { ...stackFile, file, hasOneStack: stackFile.stacks.length === 1, lockFile, stacks, lock };
}

async function pullHint({ host }: Context): Promise<CommandLine> {
  const { value, origin } = host.settings.get('stack');
  if (value !== undefined) return { path: 'pull', ...(origin.kind === 'flag' && { stack_id: value }) };
  const [stack] = (await host.listStacks().catch(() => undefined)) ?? [];
  return stack ? { path: 'pull', stack_id: titleOf(stack) } : { path: 'pull', flags: ['--help'] };
}

export async function selectedUids(context: Context, findStacks?: FindStacks): Promise<readonly string[]> {
  return findStacks ? findStacks() : [String(await context.resolveTarget(stackParam))];
}

type KnownStack = StackInFile & { readonly uid: string };

async function chosenStacks(context: Context, file: string, stacks: readonly StackInFile[], findStacks?: FindStacks) {
  const knownStacks: KnownStack[] = [];
  for (const stack of stacks) {
    const uid = await context.resolveTarget(stackParam, stack.name).then(String, (error: unknown) => {
      const isNotFound = error instanceof CliError && exitCodes[error.kind] === exitCodes.not_found;
      throw isNotFound ? error.with({}, `${file}:${stack.line}: ${error.message}`) : error;
    });
    const twin = knownStacks.find((one) => one.uid === uid);
    if (twin) throw new CliError('usage', `${file}:${stack.line}: ${stack.name} is the same stack as ${twin.name}`);
    knownStacks.push({ ...stack, uid });
  }
  // Only -s selects stacks of a file; STACKOPS_STACK and the default of the profile do not.
  if (!findStacks && context.host.settings.get('stack').origin.kind !== 'flag') return knownStacks;
  const wantedUids = await selectedUids(context, findStacks);
  const missingUid = wantedUids.find((uid) => !knownStacks.some((one) => one.uid === uid));
  if (missingUid === undefined) return knownStacks.filter(({ uid }) => wantedUids.includes(uid));
  throw new CliError('usage', `${file} has no stack ${context.host.stackName(missingUid)}`);
}
