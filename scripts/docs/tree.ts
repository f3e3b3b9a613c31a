import { loadTreeAround } from '../../src/cli/arguments/read-line.ts';
import { describeTree, type TreeDescription } from '../../src/cli/help/describe-tree.ts';
import { nodeHelp } from '../../src/cli/help/help.ts';
import { schemasOf } from '../../src/cli/help/schema.ts';
import { topLevel } from '../../src/commands/index.ts';
import type { CommandNode } from '../../src/contract/tree.ts';

export function readTree(): Promise<TreeDescription> {
  return describeTree(topLevel);
}

/** The JSON Schema files: `schemas/variant-list.json`. */
export async function readSchemas(): Promise<ReadonlyMap<string, string>> {
  const schemas = await schemasOf(topLevel);
  return new Map(
    [...schemas].map(([name, schema]) => [`schemas/${name.replaceAll(' ', '-')}.json`, `${JSON.stringify(schema)}\n`]),
  );
}

/** Every help page by its command: `stack env set`; the first screen by an empty text. */
export async function readHelpPages(): Promise<ReadonlyMap<string, string>> {
  const pages = new Map([['', nodeHelp(await loadTreeAround(undefined, topLevel), [])]]);
  for (const resource of topLevel) {
    const { children } = await loadTreeAround(resource, topLevel);
    const node = children.get(resource.name);
    if (node) addPages(pages, node, [resource.name]);
  }
  return pages;
}

function addPages(pages: Map<string, string>, node: CommandNode, path: readonly string[]): void {
  pages.set(path.join(' '), nodeHelp(node, path));
  for (const child of node.children.values()) addPages(pages, child, [...path, child.name]);
}
