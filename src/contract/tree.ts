import type { Command, Menu } from './command.ts';

/** A top-level command with its lazily loaded menu. */
export interface TopLevelCommand {
  readonly name: string;
  readonly about: string;
  /** One to three sentences for its help page. */
  readonly description: string;
  /** Abouts of the groups below: `{ 'db user': 'Database users.' }`. */
  readonly groups?: Readonly<Record<string, string>>;
  /** First arguments that stand for a group of it: `{ env: 'stack env' }`. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** The commands of the group. With `words`, it may load only those that begin with them. */
  readonly load: (words?: readonly string[]) => Promise<Menu>;
}

/** A node of the command tree: a group, a command, or both. */
export interface CommandNode {
  readonly name: string;
  readonly about: string;
  /** Background beyond its description. */
  readonly description?: string;
  readonly command?: Command;
  readonly children: ReadonlyMap<string, CommandNode>;
}

type MutableNode = { name: string; about: string; command?: Command; children: Map<string, MutableNode> };

/** Builds the nodes db, user and list from `{ 'db user list': c }`. `abouts` names the groups: `{ 'db user': 'Database users.' }`. */
export function buildTree(menus: readonly Menu[], abouts: Readonly<Record<string, string>> = {}): CommandNode {
  const root: MutableNode = { name: '', about: '', children: new Map() };
  for (const menu of menus) {
    for (const [words, command] of Object.entries(menu)) addCommand(root, words, command, abouts);
  }
  return root;
}

function addCommand(
  root: MutableNode,
  words: string,
  command: Command,
  abouts: Readonly<Record<string, string>>,
): void {
  let node = root;
  const path: string[] = [];
  for (const word of words.split(' ')) {
    path.push(word);
    const next = node.children.get(word) ?? { name: word, about: abouts[path.join(' ')] ?? '', children: new Map() };
    node.children.set(word, next);
    node = next;
  }
  if (node.command) throw new Error(`two commands are called "${words}"`);
  node.command = command;
  node.about ||= command.about;
}
