import { growAround } from '../../src/cli/arguments/read-line.ts';
import { describeTree, type TreeDescription } from '../../src/cli/help/describe-tree.ts';
import { nodeHelp } from '../../src/cli/help/help.ts';
import { loadMenu, type MenuServices, topLevel } from '../../src/commands/index.ts';
import type { CommandNode, TopLevelCommand } from '../../src/contract/tree.ts';

/** The top-level commands. Their commands are described, never run. */
export const documentedCommands: readonly TopLevelCommand[] = topLevel.map((resource) => ({
  ...resource,
  load: () => loadMenu(resource, stub() as MenuServices),
}));

export function readTree(): Promise<TreeDescription> {
  return describeTree(documentedCommands);
}

function stub(): unknown {
  // Replaces every service of a command: each property and each call returns another stub.
  return new Proxy(() => undefined, { get: (_, name) => (name === 'then' ? undefined : stub()), apply: () => stub() });
}

/** Every help page by its command: `stack env set`; the first screen by an empty text. */
export async function readHelpPages(): Promise<ReadonlyMap<string, string>> {
  const pages = new Map([['', nodeHelp(await growAround(undefined, documentedCommands), [])]]);
  for (const resource of documentedCommands) {
    const { children } = await growAround(resource, documentedCommands);
    const node = children.get(resource.name);
    if (node) addPages(pages, node, [resource.name]);
  }
  return pages;
}

function addPages(pages: Map<string, string>, node: CommandNode, path: readonly string[]): void {
  pages.set(path.join(' '), nodeHelp(node, path));
  for (const child of node.children.values()) addPages(pages, child, [...path, child.name]);
}
