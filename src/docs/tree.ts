import { describeTree } from '../cli/help/describe-tree.ts';
import type { TopLevelCommand } from '../cli/world.ts';
import { loadMenu, type MenuServices, nouns } from '../commands/index.ts';
import type { TreeDescription } from '../contract/description.ts';

/** The nouns of the tool. Their commands are described, never run. */
export const documentedNouns: readonly TopLevelCommand[] = nouns.map((noun) => ({
  ...noun,
  load: () => loadMenu(noun, stub() as MenuServices),
}));

/** The description of every command. */
export function readTree(): Promise<TreeDescription> {
  return describeTree(documentedNouns);
}

/** Stands for every service that a menu takes: each property and each call returns another stub. */
function stub(): unknown {
  return new Proxy(() => undefined, { get: (_, name) => (name === 'then' ? undefined : stub()), apply: () => stub() });
}
