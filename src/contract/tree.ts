import type { Command, Menu } from './command.ts';

export interface TopLevelCommand {
  readonly name: string;
  readonly about: string;
  /** One to three sentences for its help page. */
  readonly description: string;
  /** The `about` of each group below this command: `{ 'db user': 'Database users.' }`. */
  readonly groups?: Readonly<Record<string, string>>;
  /** First arguments that stand for a group below this command: `{ env: 'stack env' }`. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Loads the commands below this one. With `words` it may load only the commands that begin with these words. */
  readonly load: (words?: readonly string[]) => Promise<Menu>;
}

/** A node of the command tree: a group, a command, or both. */
export interface CommandNode {
  readonly name: string;
  readonly about: string;
  /** Background beyond `about`, for the help page. */
  readonly description?: string;
  readonly command?: Command;
  readonly children: ReadonlyMap<string, CommandNode>;
}

type MutableNode = { name: string; about: string; command?: Command; children: Map<string, MutableNode> };

/** Builds the nodes db, user and list from `{ 'db user list': command }`. `abouts` has that of each group. */
export function buildTree(menus: readonly Menu[], abouts: Readonly<Record<string, string>> = {}): CommandNode {
  const root: MutableNode = { name: '', about: '', children: new Map() };
  for (const [words, command] of menus.flatMap((menu) => Object.entries(menu))) {
    const path = words.split(' ');
    let node = root;
    for (const [depth, name] of path.entries()) {
      const about = abouts[path.slice(0, depth + 1).join(' ')] ?? '';
      const child = node.children.get(name) ?? { name, about, children: new Map() };
      node.children.set(name, child);
      node = child;
    }
    if (node.command) throw new Error(`two commands are called "${words}"`);
    node.command = command;
    node.about ||= command.about;
  }
  return root;
}
