import { dirname } from 'node:path';
import type { Context } from '../../contract/command.ts';
import { CliError, exitCodes, readOrUndefined } from '../../errors/cli-error.ts';
import { type Action, actions } from '../../resources/action.ts';
import { recentLimit } from '../../resources/deployment.ts';
import { environments } from '../../resources/env.ts';
import { servers } from '../../resources/server.ts';
import type { Expression } from '../../state/entry.ts';
import { resolveReferences } from '../../state/file/references.ts';
import { type Basis, compareEntry, type Difference, isReference, placeEntries, sectionsOf } from './compare.ts';
import type { FileSection, Item, StackReader, Wanted } from './section.ts';
import { fileSections } from './sections/index.ts';
import { type FileInput, ignoredPaths, type OpenFile } from './stack-file.ts';

/** The entries of one stack, compared with the service. */
export interface ComparedStack {
  readonly stack: OpenFile['stacks'][number];
  readonly reader: StackReader;
  readonly differences: readonly Difference[];
  /** All items that were read, with their entries, without ignored ones. */
  readonly readings: readonly {
    readonly section: FileSection;
    readonly items: readonly Item[];
    readonly wanted: readonly Wanted[];
  }[];
  readonly unread: readonly { readonly section: FileSection; readonly error: CliError }[];
  /** Everything that is impossible: `stackops.yaml:3: env.X: read-only`. */
  readonly faults: readonly string[];
}

const stacksAtOnce = 8;

/** Compares the entries of all chosen stacks, with reads only. `unread` lists sections that could not be read. */
export async function compareFile(
  context: Context,
  opened: OpenFile,
  input: FileInput & { readonly take?: 'file' | 'service' },
): Promise<readonly ComparedStack[]> {
  const ignored = ignoredPaths(opened.ignore, input.ignore);
  const values = await readReferences(context, opened, input, ignored.isIgnored);
  const basis: Basis = { lock: opened.lock, isIgnored: ignored.isIgnored, values, leaves: input.take === 'service' };
  const found: ComparedStack[] = [];
  const queue = opened.stacks.entries();
  const work = async () => {
    for (const [at, stack] of queue)
      found[at] = await compareStack(context, { opened, stack, basis, only: input.only });
  };
  await Promise.all(Array.from({ length: Math.min(stacksAtOnce, opened.stacks.length) }, work));
  for (const pattern of ignored.unused()) context.warn(`--ignore ${pattern} matches no path`);
  return found;
}

export function readerOf(context: Context, stack_id: string): StackReader {
  let listed: ReturnType<StackReader['servers']> | undefined;
  let variables: ReturnType<StackReader['variables']> | undefined;
  return {
    stack_id,
    call: context.call,
    servers: () => (listed ??= context.call(servers.list, { stack_id })),
    variables: () => (variables ??= context.call(environments.list, { stack_id })),
  };
}

interface StackInput {
  readonly opened: OpenFile;
  readonly stack: OpenFile['stacks'][number];
  readonly basis: Basis;
  readonly only: FileInput['only'];
}

async function compareStack(context: Context, { opened, stack, basis, only }: StackInput): Promise<ComparedStack> {
  const reader = readerOf(context, stack.uid);
  const managed = stack.entries.filter(({ path }) => !basis.isIgnored(path));
  const own = sectionsOf(fileSections, { ...stack, entries: managed }, only, opened.strict);
  const [readings, running] = await Promise.all([
    Promise.all(own.map(async (section) => ({ section, ...(await readSection(section, reader)) }))),
    own.length > 0 ? unfinishedActions(context, stack.uid) : [],
  ]);
  const differences: Difference[] = [];
  const known: ComparedStack['readings'][number][] = [];
  const faults: string[] = [];
  for (const { section, items } of readings) {
    if (!items) continue;
    const entries = managed.filter((entry) => entry.section === section.name);
    const placed = await placeEntries(section, entries, { items, reader, values: basis.values });
    faults.push(...placed.faults);
    const isManaged = placed.wanted.filter(
      ({ path, entry }) => entry.expression.kind !== 'unmanaged' && !basis.isIgnored(path),
    );
    differences.push(...isManaged.map((one) => compareEntry(section, one, { stack, actions: running, basis })));
    known.push({ section, items: items.filter(({ path }) => !basis.isIgnored(path)), wanted: placed.wanted });
  }
  const unread = readings.flatMap(({ section, error }) => (error ? [{ section, error }] : []));
  return { stack, reader, differences, readings: known, unread, faults };
}

async function readSection(
  section: FileSection,
  reader: StackReader,
): Promise<{ readonly items?: readonly Item[]; readonly error?: CliError }> {
  try {
    return { items: await section.read(reader) };
  } catch (error) {
    // Other errors are about the token, the stack or a signal: they end the whole run.
    if (!(error instanceof CliError) || exitCodes[error.kind] !== exitCodes.unavailable) throw error;
    return { error };
  }
}

async function unfinishedActions(context: Context, stack_id: string): Promise<readonly Action[]> {
  return (await readOrUndefined(context.call(actions.list, { stack_id }, { limit: recentLimit }))) ?? [];
}

async function readReferences(
  { host }: Context,
  { file, stacks }: OpenFile,
  { only }: FileInput,
  isIgnored: (path: string) => boolean,
): Promise<ReadonlyMap<Expression, string>> {
  const used = stacks
    .flatMap(({ entries }) => entries)
    .filter(({ section, path }) => (only === undefined || only.includes(section)) && !isIgnored(path));
  const references = [...new Set(used.map(({ expression }) => expression))].filter(isReference);
  const secret = host.secretCommand();
  return resolveReferences(references, { env: host.programs.env, folder: dirname(file), ...(secret && { secret }) });
}
