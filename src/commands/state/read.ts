import { dirname } from 'node:path';
import type { Context } from '../../contract/command.ts';
import { CliError, exitCodes, readOrUndefined } from '../../errors/cli-error.ts';
import { type Action, actions } from '../../resources/action.ts';
import { recentLimit } from '../../resources/deployment.ts';
import { environments } from '../../resources/env.ts';
import { servers } from '../../resources/server.ts';
import type { Expression } from '../../state/entry.ts';
import { resolveReferences } from '../../state/file/references.ts';
import { type Basis, compareEntry, type Difference, isReference, matchEntries, sectionsToRead } from './compare.ts';
import type { FileSection, StackItem, StackReader, WantedItem } from './section.ts';
import { fileSections } from './sections/index.ts';
import { type FileInput, ignoreMatcher, type OpenFile } from './stack-file.ts';

export interface ComparedStack {
  readonly stack: OpenFile['stacks'][number];
  readonly differences: readonly Difference[];
  /** The items and the entries of each section that was read, without ignored items. */
  readonly readings: readonly {
    readonly section: FileSection;
    readonly items: readonly StackItem[];
    readonly wanted: readonly WantedItem[];
  }[];
  readonly unread: readonly { readonly section: FileSection; readonly error: CliError }[];
  /** Messages about missing or ambiguous servers of entries: `stackops.yaml:3: servers.web.tags: server not found`. */
  readonly faults: readonly string[];
  /** Messages about roles that differ for a server: `stackops.yaml:5: @web and @app differ for shop-1`. */
  readonly contradictions: readonly string[];
}

const stacksAtOnce = 8;

/**
 * Compares the entries of all chosen stacks with the service. Sections that could not be read are in `unread`.
 * Throws `usage` if roles differ for a server.
 */
export async function compareFile(
  context: Context,
  openFile: OpenFile,
  input: FileInput & { readonly take?: 'file' | 'service' },
): Promise<readonly ComparedStack[]> {
  const { isIgnored, unused } = ignoreMatcher(openFile.ignore, input.ignore);
  const values = await readReferences(context, openFile, input, isIgnored);
  const basis: Basis = { lock: openFile.lock, isIgnored, values, leavesDrift: input.take === 'service' };
  const comparedStacks: ComparedStack[] = [];
  const queue = openFile.stacks.entries();
  const compareFromQueue = async () => {
    for (const [at, stack] of queue)
      comparedStacks[at] = await compareStack(context, { openFile, stack, basis, only: input.only });
  };
  await Promise.all(Array.from({ length: Math.min(stacksAtOnce, openFile.stacks.length) }, compareFromQueue));
  const [contradiction, ...others] = new Set(comparedStacks.flatMap(({ contradictions }) => contradictions));
  if (contradiction !== undefined) throw new CliError('usage', contradiction, { lines: others });
  for (const pattern of unused()) context.warn(`--ignore ${pattern} matches no path`);
  return comparedStacks;
}

export function createStackReader(context: Context, stack_id: string): StackReader {
  let serverRows: ReturnType<StackReader['servers']> | undefined;
  let variables: ReturnType<StackReader['variables']> | undefined;
  return {
    stack_id,
    call: context.call,
    servers: () => (serverRows ??= context.call(servers.list, { stack_id })),
    variables: () => (variables ??= context.call(environments.list, { stack_id })),
  };
}

interface StackInput {
  readonly openFile: OpenFile;
  readonly stack: OpenFile['stacks'][number];
  readonly basis: Basis;
  readonly only: FileInput['only'];
}

async function compareStack(context: Context, { openFile, stack, basis, only }: StackInput): Promise<ComparedStack> {
  const reader = createStackReader(context, stack.uid);
  const unignoredEntries = stack.entries.filter(({ path }) => !basis.isIgnored(path));
  const sections = sectionsToRead(fileSections, { ...stack, entries: unignoredEntries }, only, openFile.strict);
  const [readings, recentActions] = await Promise.all([
    Promise.all(sections.map(async (section) => ({ section, ...(await readSection(section, reader)) }))),
    sections.length > 0 ? readRecentActions(context, stack.uid) : [],
  ]);
  const differences: Difference[] = [];
  const unignoredReadings: ComparedStack['readings'][number][] = [];
  const [faults, contradictions]: [string[], string[]] = [[], []];
  for (const { section, items } of readings) {
    if (!items) continue;
    const entries = unignoredEntries.filter((entry) => entry.section === section.name);
    const { wanted, ...messages } = await matchEntries(section, entries, { items, reader, values: basis.values });
    faults.push(...messages.faults);
    contradictions.push(...messages.contradictions);
    const managedItems = wanted.filter(
      ({ path, entry }) => entry.expression.kind !== 'unmanaged' && !basis.isIgnored(path),
    );
    differences.push(
      ...managedItems.map((one) => compareEntry(section, one, { stack, actions: recentActions, basis })),
    );
    unignoredReadings.push({ section, items: items.filter(({ path }) => !basis.isIgnored(path)), wanted });
  }
  const unread = readings.flatMap(({ section, error }) => (error ? [{ section, error }] : []));
  return { stack, differences, readings: unignoredReadings, unread, faults, contradictions };
}

async function readSection(
  section: FileSection,
  reader: StackReader,
): Promise<{ readonly items?: readonly StackItem[]; readonly error?: CliError }> {
  try {
    return { items: await section.read(reader) };
  } catch (error) {
    // Only an unavailable service leaves a section unread. All other errors, such as those of the token, end the run.
    if (!(error instanceof CliError) || exitCodes[error.kind] !== exitCodes.unavailable) throw error;
    return { error };
  }
}

async function readRecentActions(context: Context, stack_id: string): Promise<readonly Action[]> {
  return (await readOrUndefined(context.call(actions.list, { stack_id }, { limit: recentLimit }))) ?? [];
}

async function readReferences(
  { host }: Context,
  { file, stacks }: OpenFile,
  { only }: FileInput,
  isIgnored: (path: string) => boolean,
): Promise<ReadonlyMap<Expression, string>> {
  const usedEntries = stacks
    .flatMap(({ entries }) => entries)
    .filter(({ section, path }) => (only === undefined || only.includes(section)) && !isIgnored(path));
  const references = [...new Set(usedEntries.map(({ expression }) => expression))].filter(isReference);
  const secret = host.secretCommand();
  return resolveReferences(references, { env: host.programs.env, folder: dirname(file), ...(secret && { secret }) });
}
