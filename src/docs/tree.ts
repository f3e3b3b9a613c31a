import { describeTree } from '../cli/help/describe-tree.ts';
import type { TopLevelCommand } from '../cli/world.ts';
import { type MenuServices, nouns } from '../commands/index.ts';
import type { TreeDescription } from '../contract/description.ts';

/** The words of the tool. Their menus are only looked at, never run. */
export const documentedNouns: readonly TopLevelCommand[] = nouns.map((noun) => ({
  ...noun,
  load: () => noun.load(stub() as MenuServices),
}));

/** All there is to say about every command. */
export function readTree(): Promise<TreeDescription> {
  return describeTree(documentedNouns);
}

/** What a menu would ask of the program answers with itself. */
function stub(): unknown {
  return new Proxy(() => undefined, { get: (_, name) => (name === 'then' ? undefined : stub()), apply: () => stub() });
}
