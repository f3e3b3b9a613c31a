import type { CommandDescription } from '../../contract/description.ts';
import type { TopLevelCommand } from '../world.ts';
import { describeCommand } from './describe.ts';

/** Every command, in the order of the root help; each noun is loaded. */
export async function describeCommands(nouns: readonly TopLevelCommand[]): Promise<readonly CommandDescription[]> {
  const menus = await Promise.all(nouns.map(({ load }) => load()));
  const descriptions = new Map(nouns.map(({ name, description }) => [name, description]));
  return menus
    .flatMap((menu) => Object.entries(menu))
    .map(([name, command]) => describeCommand(name, command, descriptions.get(name)));
}
