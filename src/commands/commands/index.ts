import type { Menu } from '../../contract/command.ts';
import type { TreeDescription } from '../../contract/description.ts';
import { flag, group, integer, many, nullable, text } from '../../contract/field.ts';
import { record } from '../../contract/record.ts';
import { one } from '../../contract/reply.ts';
import { local } from '../../kinds/local.ts';

/** What `commands` needs of the program around it. */
export interface CommandsServices {
  readonly tree: () => Promise<TreeDescription>;
}

const listOf = (about: string) => many(text('One of them.'), about);
const name = text('As typed after `stackops`.');
const about = text('Its purpose, in a sentence.');
const description = nullable(text('What else to know; null when its purpose says it all.'));

/** `contract/description.ts` says what the keys below these hold. */
const TreeRecord = record(
  'command tree',
  {
    version: integer('Version of this shape; a key that goes or changes its meaning makes a new one.'),
    about: text('What the tool is for.'),
    options: many(group({ flags: text('Spellings.'), about }, 'An option.'), 'Options that every command knows.'),
    groups: many(group({ name, about, description }, 'A group.'), 'Words that only lead to commands.'),
    commands: many(
      group(
        {
          name,
          about,
          description,
          usage: text('How it is called.'),
          arguments: listOf('Words it takes, in order: `shown`, and the keys of a value.'),
          flags: listOf(
            'Flags of its own: `flags`, the keys of a value, and what it `takes`: value, nothing, file or stdin.',
          ),
          places: listOf('Flags that say where it acts: `flags`, `about`, `place`, `required`.'),
          options: listOf('Those options of all commands that make a difference here.'),
          examples: listOf('Command lines that work.'),
          scopes: listOf('Scopes its token needs.'),
          operations: listOf('Operations of the service it calls: `method`, `path`, `scope`, `documented`.'),
          changes_something: flag('Whether it can change something at the service.'),
          confirmation: text('What it asks before it acts: none, yes or typed.'),
          confirmation_when: nullable(text('When it asks, where only some changes do; null otherwise.')),
          waits: text('Whether it waits for an end: never, on request (--wait) or always.'),
          several_stacks: flag('Whether it can act on several stacks at once.'),
          runs_program: flag('Whether it runs the words after `--` as a program.'),
          assumptions: listOf('What is assumed where the document of the service is silent.'),
          reply: nullable(text('How the service wraps the reply; null for plain text.')),
          shows: nullable(text('What people see: rows, object, value or change (what was done); null for plain text.')),
          fields: listOf(
            'What --fields may name, and --columns and --sort too unless there are `columns`: `name`, dotted below groups, `about`, `kind`.',
          ),
          columns: listOf(
            'What --columns and --sort may name in a table, where that is something else; the same keys.',
          ),
          exit_codes: listOf(
            'What exit codes mean here in particular: `code`, null for that of a program, and `meaning`.',
          ),
        },
        'A command.',
      ),
      'Every command.',
    ),
    topics: many(
      group({ name: text('As typed after `stackops help`.'), about }, 'A topic.'),
      'Pages of help on their own.',
    ),
    change_record: group(
      {
        fields: listOf('Its keys, behind those that identify what was changed: `name`, `about`, `kind`.'),
        changes: listOf('What `change` can say: `change`, and its `meaning`.'),
      },
      'The record that every command prints with --json that changes something at the service.',
    ),
    exit_codes: many(
      group({ code: integer('Number, as the commands have it.'), meaning: text('Meaning.') }, 'A code.'),
      'What every exit code means.',
    ),
  },
  ['version', 'about'],
);

const CommandLine = record('command', { name, about }, ['name', 'about']);

/** The single word `commands`. */
export function commandsCommands({ tree }: CommandsServices): Menu {
  return {
    commands: local({
      about: 'List every command; with --json, everything there is to know about each.',
      params: {},
      examples: ['stackops commands', 'stackops commands --json --fields version,commands.name,commands.exit_codes'],
      output: { kind: 'rows', reply: one(TreeRecord), table: CommandLine },
      run: tree,
      present: ({ commands }) => ({ kind: 'table', record: CommandLine, rows: commands.map((row) => ({ ...row })) }),
    }),
  };
}
