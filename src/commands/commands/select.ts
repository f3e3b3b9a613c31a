import type { CommandDescription, TreeDescription } from '../../contract/description.ts';
import { isObject } from '../../contract/values/json-object.ts';
import { nearest } from '../../problems/nearest.ts';
import { Problem } from '../../problems/problem.ts';

/** What `commands --json` prints: the whole tree, or what of it was asked for. */
export interface ShownTree extends Partial<Omit<TreeDescription, 'commands'>> {
  readonly commands: readonly Partial<CommandDescription>[];
}

/** What of a command the words name: itself, or all below a group. Throws not_found. */
export function selectCommands(
  { commands, groups }: TreeDescription,
  words: readonly string[],
): Pick<TreeDescription, 'groups' | 'commands'> {
  const path = words.join(' ');
  const isMeant = ({ name }: { readonly name: string }) => name === path || name.startsWith(`${path} `);
  const found = { groups: groups.filter(isMeant), commands: commands.filter(isMeant) };
  if (found.commands.length > 0) return found;
  const close = nearest(
    path,
    [...groups, ...commands].map(({ name }) => name),
  );
  const hint = close === undefined ? { path: 'commands', flags: ['--brief'] } : { path: `commands ${close}` };
  throw new Problem('not_found', `command "${path}" not found`, { hint });
}

/**
 * Few bytes for a reader that pays for each: keys that are null, false or empty are left out, and of a change what every
 * change has, which `change_record` describes.
 */
export function leanTree({ version, change_record }: TreeDescription, { groups, commands }: ShownTree): ShownTree {
  const common = new Set(change_record.fields.map((field) => JSON.stringify(field)));
  const own = commands.map(({ fields = [], ...command }) => ({
    ...command,
    fields: command.shows === 'change' ? fields.filter((field) => !common.has(JSON.stringify(field))) : fields,
  }));
  return { version, ...(lean({ groups, commands: own }) as ShownTree) };
}

function lean(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lean);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, held]) => held !== null && held !== false && held !== undefined && !isEmptyList(held))
      .map(([key, held]) => [key, lean(held)]),
  );
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** What there is to know before choosing a command. */
export function briefly({ name, about, changes_something, confirmation }: CommandDescription) {
  return { name, about, changes_something, confirmation };
}
