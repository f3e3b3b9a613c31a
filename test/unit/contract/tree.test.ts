import { describe, expect, it } from 'vitest';
import { customCommand } from '../../../src/builders/custom-command.ts';
import type { Command } from '../../../src/contract/command.ts';
import { buildTree, type CommandNode } from '../../../src/contract/tree.ts';

const command = (about: string): Command =>
  customCommand({ about, params: {}, calls: [], moreEffects: [], run: async () => undefined });

/** The tree as lines: `db: Databases.`, deeper ones indented, `*` where a command can be run. */
function drawn(node: CommandNode, depth = 0): readonly string[] {
  return [...node.children.values()].flatMap((child) => [
    `${'  '.repeat(depth)}${child.name}${child.command ? '*' : ''}: ${child.about}`,
    ...drawn(child, depth + 1),
  ]);
}

describe('buildTree', () => {
  it('grows words into groups and commands, in the order of the menus', () => {
    const tree = buildTree(
      [
        { 'db list': command('List databases.'), 'db user list': command('List users.') },
        { redeploy: command('Deploy again.') },
      ],
      { db: 'Databases.', 'db user': 'Database users.' },
    );
    expect(drawn(tree)).toEqual([
      'db: Databases.',
      '  list*: List databases.',
      '  user: Database users.',
      '    list*: List users.',
      'redeploy*: Deploy again.',
    ]);
  });

  it('lets a command have children, whichever is planted first', () => {
    const [under, over] = [{ 'tags list': command('List.') }, { tags: command('Tags at a glance.') }];
    expect(drawn(buildTree([over, under]))).toEqual(['tags*: Tags at a glance.', '  list*: List.']);
    expect(drawn(buildTree([under, over]))).toEqual(['tags*: Tags at a glance.', '  list*: List.']);
  });

  it('refuses two commands of one name', () => {
    const menus = [{ 'db list': command('One.') }, { 'db list': command('Two.') }];
    expect(() => buildTree(menus)).toThrow('two commands are called "db list"');
  });

  it('is empty without menus', () => {
    expect(buildTree([])).toEqual({ name: '', about: '', children: new Map() });
  });
});
