import { dirname } from 'node:path';
import type { Context } from '../../contract/command.ts';
import { once } from '../../contract/values/once.ts';
import { matchesPattern } from '../../contract/values/text.ts';
import { CliError, readOrUndefined } from '../../errors/cli-error.ts';
import { actions } from '../../resources/action.ts';
import { recentLimit } from '../../resources/deployment.ts';
import { environments } from '../../resources/env.ts';
import { type ServerRow, servers } from '../../resources/server.ts';
import { type SectionName, type StackEntry, sectionNames } from '../../state/entry.ts';
import { resolveReferences } from '../../state/file/references.ts';
import { type Comparison, type ComparisonBasis, compareItems } from './compare.ts';
import type { FileSection, StackReader } from './section.ts';
import { envSection } from './sections/env.ts';
import { processesSection } from './sections/processes.ts';
import { serversSection, settingsSection } from './sections/settings.ts';
import { tagsSection } from './sections/tags.ts';
import type { FileInput, OpenFile } from './stack-file.ts';

/** All sections, in the order in which a plan shows them. */
export const fileSections = [envSection, settingsSection, serversSection, tagsSection, processesSection] as const;

export interface ComparedStack extends Comparison {
  readonly stack: OpenFile['stacks'][number];
  /** The sections that were read. */
  readonly sections: readonly FileSection[];
  /** All servers of the stack; empty if no section read them. */
  readonly serverRows: readonly ServerRow[];
  readonly unread: readonly { readonly section: FileSection; readonly error: CliError }[];
}

/** Compares the entries of all chosen stacks with the service. Throws `usage` if roles differ for a server. */
export async function compareFile(context: Context, openFile: OpenFile, input: FileInput) {
  const { host } = context;
  const { only = sectionNames, ignore = [], take } = input;
  const usedPatterns = new Set<string>();
  const isIgnored = (path: string): boolean => {
    const pattern = [...openFile.ignore, ...ignore].find((one) => matchesPattern(path, one));
    if (pattern !== undefined) usedPatterns.add(pattern);
    return pattern !== undefined;
  };
  const isUsed = ({ section, path }: StackEntry) => !isIgnored(path) && only.includes(section);
  const stacks = openFile.stacks.map((stack) => ({ stack, entries: stack.entries.filter(isUsed) }));
  const expressions = stacks.flatMap(({ entries }) => entries.map(({ expression }) => expression));
  const sources = { env: host.programs.env, folder: dirname(openFile.file), secret: host.secretCommand() };
  const values = await resolveReferences(expressions, sources);
  const basis = { lock: openFile.lock, isIgnored, values, leavesDrift: take === 'service' };
  const strict = openFile.strict.filter((name) => only.includes(name));
  const comparedStacks = await Promise.all(stacks.map((one) => compareStack(context, { ...one, strict }, basis)));
  const [contradiction, ...others] = new Set(comparedStacks.flatMap(({ contradictions }) => contradictions));
  if (contradiction !== undefined) throw new CliError('usage', contradiction, { lines: others });
  for (const pattern of ignore) {
    if (!usedPatterns.has(pattern)) context.warn(`--ignore ${pattern} matches no path`);
  }
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

interface StackToCompare extends Pick<ComparedStack, 'stack'> {
  readonly entries: readonly StackEntry[];
  /** Sections that are read even if they have no entry. */
  readonly strict: readonly SectionName[];
}

async function compareStack(context: Context, one: StackToCompare, basis: ComparisonBasis): Promise<ComparedStack> {
  const { stack, strict } = one;
  const { uid: stack_id, name: stackName } = stack;
  const reader = createStackReader(context, stack_id);
  const usedNames = new Set([...one.entries.map(({ section }) => section), ...strict]);
  const usedSections = fileSections.filter(({ name }) => usedNames.has(name));
  const [results, actionRows = []] = await Promise.all([
    Promise.all(usedSections.map((section) => readSection(section, reader))),
    usedSections.length > 0 ? readOrUndefined(context.call(actions.list, { stack_id }, { limit: recentLimit })) : [],
  ]);
  const sections = results.flatMap(({ section, items }) => (items ? section : []));
  const entries = sections.flatMap(({ name }) => one.entries.filter(({ section }) => section === name));
  const items = results.flatMap((result) => result.items ?? []);
  const serverRows = sections.some(({ reads }) => reads.includes(servers.list)) ? await reader.listServers() : [];
  const comparison = compareItems({ ...basis, stackName, sections, entries, items, serverRows, actionRows });
  const unread = results.flatMap(({ section, error }) => (error ? { section, error } : []));
  return { stack, sections, serverRows, unread, ...comparison };
}

async function readSection(section: FileSection, reader: StackReader) {
  try {
    return { section, items: await section.read(reader) };
  } catch (error) {
    // Only an unavailable service leaves a section unread. All other errors, such as those of the token, end the run.
    if (!(error instanceof CliError) || error.kind !== 'unavailable') throw error;
    return { section, error };
  }
}
