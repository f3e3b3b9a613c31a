import { describeTree, type TreeDescription } from '../../src/cli/help/describe-tree.ts';
import { nodeHelp } from '../../src/cli/help/help.ts';
import { growAround } from '../../src/cli/stackops.ts';
import { loadMenu, type MenuServices, nouns } from '../../src/commands/index.ts';
import type { CommandNode, TopLevelCommand } from '../../src/contract/tree.ts';

/** The nouns of the tool. Their commands are described, never run. */
export const documentedNouns: readonly TopLevelCommand[] = nouns.map((noun) => ({
  ...noun,
  load: () => loadMenu(noun, stub() as MenuServices),
}));

export function readTree(): Promise<TreeDescription> {
  return describeTree(documentedNouns);
}

function stub(): unknown {
  // For every service that a menu takes: each property and each call returns another one.
  return new Proxy(() => undefined, { get: (_, name) => (name === 'then' ? undefined : stub()), apply: () => stub() });
}

/** Every help page, by the words that it is about: `stack env set`; the first screen by none. */
export async function readHelpPages(): Promise<ReadonlyMap<string, string>> {
  const pages = new Map([['', nodeHelp(await growAround(undefined, documentedNouns), [])]]);
  for (const noun of documentedNouns) {
    const { children } = await growAround(noun, documentedNouns);
    const node = children.get(noun.name);
    if (node) addPages(pages, node, [noun.name]);
  }
  return pages;
}

function addPages(pages: Map<string, string>, node: CommandNode, path: readonly string[]): void {
  pages.set(path.join(' '), nodeHelp(node, path));
  for (const child of node.children.values()) addPages(pages, child, [...path, child.name]);
}
