import { nodeHelp } from '../cli/help/help.ts';
import { growAround } from '../cli/stackops.ts';
import type { CommandNode } from '../contract/tree.ts';
import { documentedNouns } from './tree.ts';

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
