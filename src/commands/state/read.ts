import { dirname } from 'node:path';
import type { Context } from '../../contract/command.ts';
import { once } from '../../contract/values/once.ts';
import { CliError, exitCodes, readOrUndefined } from '../../errors/cli-error.ts';
import { actions } from '../../resources/action.ts';
import { recentLimit } from '../../resources/deployment.ts';
import { environments } from '../../resources/env.ts';
import { servers } from '../../resources/server.ts';
import { type Expression, type SectionName, sectionNames } from '../../state/entry.ts';
import { resolveReferences } from '../../state/file/references.ts';
import { type ComparedSection, type ComparisonBasis, compareSection, type Difference } from './compare.ts';
import type { FileSection, StackReader } from './section.ts';
import { fileSections } from './sections/index.ts';
import { type FileInput, ignoreMatcher, type OpenFile } from './stack-file.ts';

export interface ComparedStack {
  readonly stack: OpenFile['stacks'][number];
  readonly sections: readonly ComparedSection[];
  readonly unread: readonly { readonly section: FileSection; readonly error: CliError }[];
  readonly differences: readonly Difference[];
  readonly faults: readonly string[];
}

/** Compares the entries of all chosen stacks with the service. Throws `usage` if roles differ for a server. */
export async function compareFile(
  context: Context,
  openFile: OpenFile,
  input: FileInput,
): Promise<readonly ComparedStack[]> {
  const { only = sectionNames } = input;
  const { lock, strict, stacks } = openFile;
  const { isIgnored, unused } = ignoreMatcher(openFile.ignore, input.ignore);
  const values = await readReferences(context, openFile, only, isIgnored);
  const basis = { lock, isIgnored, values, leavesDrift: input.take === 'service' };
  const comparedStacks = await Promise.all(
    stacks.map((stack) => compareStack(context, stack, { basis, strict, only })),
  );
  const contradictions = comparedStacks.flatMap(({ sections }) => sections.flatMap((one) => one.contradictions));
  const [contradiction, ...others] = new Set(contradictions);
  if (contradiction !== undefined) throw new CliError('usage', contradiction, { lines: others });
  for (const pattern of unused()) context.warn(`--ignore ${pattern} matches no path`);
  return comparedStacks;
}

export function createStackReader(context: Context, stack_id: string): StackReader {
  return {
    stack_id,
    call: context.call,
    listServers: once(() => context.call(servers.list, { stack_id })),
    listVariables: once(() => context.call(environments.list, { stack_id })),
  };
}

interface Comparison {
  readonly basis: ComparisonBasis;
  readonly strict: readonly SectionName[];
  readonly only: readonly SectionName[];
}

async function compareStack(
  context: Context,
  stack: ComparedStack['stack'],
  { basis, strict, only }: Comparison,
): Promise<ComparedStack> {
  const reader = createStackReader(context, stack.uid);
  const entries = stack.entries.filter(({ path }) => !basis.isIgnored(path));
  const usedNames = new Set([...entries.map(({ section }) => section), ...strict]);
  const usedSections = fileSections.filter(({ name }) => usedNames.has(name) && only.includes(name));
  const [sectionResults, actionRows = []] = await Promise.all([
    Promise.all(usedSections.map((section) => readSection(section, reader))),
    usedSections.length > 0
      ? readOrUndefined(context.call(actions.list, { stack_id: stack.uid }, { limit: recentLimit }))
      : [],
  ]);
  const hasServers = sectionResults.some(({ section, items }) => items && section.reads.includes(servers.list));
  const found = { servers: hasServers ? await reader.listServers() : [], actions: actionRows };
  const sections = sectionResults.flatMap(({ section, items }) =>
    items ? compareSection(section, items, { stackName: stack.name, entries, basis, ...found }) : [],
  );
  return {
    stack,
    sections,
    unread: sectionResults.flatMap(({ section, error }) => (error ? [{ section, error }] : [])),
    differences: sections.flatMap(({ differences }) => differences),
    faults: sections.flatMap(({ faults }) => faults),
  };
}

async function readSection(section: FileSection, reader: StackReader) {
  try {
    return { section, items: await section.read(reader) };
  } catch (error) {
    // Only an unavailable service leaves a section unread. All other errors, such as those of the token, end the run.
    if (!(error instanceof CliError) || exitCodes[error.kind] !== exitCodes.unavailable) throw error;
    return { section, error };
  }
}

function readReferences(
  { host }: Context,
  { file, stacks }: OpenFile,
  only: readonly SectionName[],
  isIgnored: (path: string) => boolean,
): Promise<ReadonlyMap<Expression, string>> {
  const entries = stacks.flatMap((stack) => stack.entries);
  const usedEntries = entries.filter(({ section, path }) => only.includes(section) && !isIgnored(path));
  const expressions = usedEntries.map(({ expression }) => expression);
  const sources = { env: host.programs.env, folder: dirname(file), secret: host.secretCommand() };
  return resolveReferences(expressions, sources);
}
