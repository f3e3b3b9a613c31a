import { localCommand } from '../../builders/custom-command.ts';
import type { Menu } from '../../contract/command.ts';
import { type Fields, flag, group, integer, many, nullable, opaque, optional, text } from '../../contract/field.ts';
import { type RecordOf, record } from '../../contract/record.ts';
import { one } from '../../contract/reply.ts';
import { isObject, type JsonObject } from '../../contract/values/json.ts';
import { CliError } from '../../errors/cli-error.ts';
import { nearest } from '../../errors/nearest.ts';

const listField = (about: string) => many(opaque('One item.'), about);
const nameField = text('As typed after `stackops`.');
const aboutField = text('Its purpose, in a sentence.');
const descriptionField = nullable(text('What else to know; null when its purpose says it all.'));

const nameFields = { name: nameField, about: aboutField, description: descriptionField };

function listOf<const F extends Fields>(fields: F, itemAbout: string, about: string) {
  return many(group(fields, itemAbout), about);
}

/** The record type of the command tree that `cli/help/describe-tree.ts` makes. Programs rely on its keys. */
const TreeRecord = record(
  'command tree',
  {
    version: integer('Version of this shape; it changes when a key is removed or changes its meaning.'),
    about: text('Purpose of the tool.'),
    options: listOf(
      { flags: text('Spellings of the flag.'), about: aboutField, effects: listField('Effects that it adds.') },
      'One flag.',
      'Flags that every command accepts.',
    ),
    groups: listOf(nameFields, 'One group.', 'Groups of commands.'),
    commands: listOf(
      {
        ...nameFields,
        usage: text('Usage line.'),
        arguments: listField('Arguments, in order: `shown`, and the keys of a value.'),
        flags: listField('Its own flags: `flags`, the keys of a value, and `takes`: value, nothing, file or stdin.'),
        places: listField('Flags that select where it acts: `flags`, `about`, `place`, `required`, `effects`.'),
        options: listField('Flags of all commands that have an effect here.'),
        examples: listField('Examples that can be run.'),
        scopes: listField('Scopes that its token needs.'),
        operations: listField('Operations it calls: `method`, `path`, `scope`, `documented`.'),
        effects: listField('Effects without its optional arguments and flags, which name those that they add.'),
        changes_something: flag('Whether it can change something at the service.'),
        confirmation: text('Confirmation that it asks for: none, yes or typed.'),
        confirmation_when: nullable(text('When it asks for confirmation, if not always; else null.')),
        waits: text(
          'Whether it waits for the operation: never, on request (--wait), always, or within its own limits.',
        ),
        several_stacks: flag('Whether it can act on several stacks at once.'),
        runs_program: flag('Whether it runs the arguments after `--` as a program.'),
        assumptions: listField('Assumptions where the service has no documentation.'),
        reply: nullable(text('Envelope of the response; null for plain text.')),
        shows: nullable(text('Kind of output: rows, object, value or change; null for plain text.')),
        fields: listField(
          'Names for --fields, and for --sort unless `columns` has items: `name` (dotted in groups), `about`, `kind`, and `values`: known codes and words, or null.',
        ),
        columns: listField('Names for --fields and --sort in a table, if they differ; the same keys.'),
        exit_codes: listField(
          'Exit codes with a meaning of their own here: `code` (null: the exit code of the program) and `meaning`.',
        ),
        subcommands: listField('Names of the commands below it.'),
      },
      'One command.',
      'All commands.',
    ),
    topics: listOf({ name: text('As typed after `stackops help`.'), about: aboutField }, 'One topic.', 'Help topics.'),
    change_record: group(
      {
        fields: listField('Its keys, after those that identify the resource; the same keys.'),
        changes: listField('Values of `change`: `change` and its `meaning`.'),
      },
      'The record that every change prints with --json.',
    ),
    effects: listOf({ effect: text('Effect.'), meaning: text('Meaning.') }, 'One effect.', 'Meanings of all effects.'),
    exit_codes: listOf(
      { code: integer('Exit code.'), meaning: text('Meaning.') },
      'One exit code.',
      'Meanings of all exit codes.',
    ),
  },
  ['version', 'about'],
);

export type Tree = RecordOf<typeof TreeRecord>;

const CommandRecord = record(
  'command',
  {
    name: nameField,
    about: aboutField,
    changes_something: flag('Whether it can change something at the service.', { label: 'changes' }),
    confirmation: text('Confirmation that it asks for: none, yes or typed.', { label: 'asks' }),
  },
  ['name', 'about'],
);
const BriefCommandRecord = { ...CommandRecord, columns: ['name', 'about', 'changes_something', 'confirmation'] };

export const commandsCommands: Menu = {
  commands: localCommand({
    moreEffects: [],
    about: 'List all commands; --json describes each of them in full.',
    params: {
      words: optional(many(text('A word.'), 'Only this command, or the commands of this group.', { label: 'words' })),
      brief: optional(flag('Only its purpose, and whether it changes or asks.')),
      schema: optional(flag('Print the JSON Schema of its --json output.')),
    },
    positionals: ['words'],
    examples: [
      'stackops commands',
      'stackops commands --json --brief',
      'stackops commands --json variant weight',
      'stackops commands --schema variant list',
      'stackops commands --json --fields version,commands.name,commands.exit_codes',
    ],
    exits: [[3, 'no such command']],
    output: { kind: 'rows', reply: one(TreeRecord), table: CommandRecord },
    run: async ({ host }, { words = [], brief, schema }): Promise<PartialTree | JsonObject> => {
      if (brief && schema) throw new CliError('usage', '--brief and --schema cannot be combined');
      const { tree, schemas } = await host.description();
      const all = await tree();
      if (schema) return selectSchema(await schemas(), all, host.withoutAlias(words).join(' '));
      if (words.length === 0 && !brief) return all;
      const { groups, commands } = words.length === 0 ? all : selectCommands(all, host.withoutAlias(words).join(' '));
      return leanTree(all, brief ? { commands: commands.map(briefCommand) } : { groups, commands });
    },
    present: (value, { brief, schema }) => {
      if (schema) return { kind: 'document', head: [], value };
      const rows = (value as PartialTree).commands.map((row) => ({ changes_something: false, ...row }));
      return { kind: 'table', record: brief ? BriefCommandRecord : CommandRecord, rows };
    },
  }),
};

interface PartialTree extends Partial<Omit<Tree, 'commands'>> {
  readonly commands: readonly Partial<Tree['commands'][number]>[];
}

function selectSchema(schemas: ReadonlyMap<string, JsonObject>, tree: Tree, path: string): JsonObject {
  const schema = schemas.get(path);
  if (schema) return schema;
  const isGroup = path === '' || selectCommands(tree, path).commands[0]?.name !== path;
  if (!isGroup) throw new CliError('usage', `"${path}" prints no JSON`);
  const hint = { path: `commands ${path}`.trim(), flags: ['--brief'] };
  throw new CliError('usage', '--schema needs the words of one command', { hint });
}

function selectCommands({ commands, groups }: Tree, path: string) {
  // A command that is also a group is returned alone, because its record names its subcommands.
  const command = commands.find(({ name }) => name === path);
  if (command) return { groups: [], commands: [command] };
  const isMatch = ({ name }: { readonly name: string }) => name === path || name.startsWith(`${path} `);
  const matching = { groups: groups.filter(isMatch), commands: commands.filter(isMatch) };
  if (matching.commands.length > 0) return matching;
  const names = [...groups, ...commands].map(({ name }) => name);
  const nearName = nearest(path, names);
  const hint = nearName === undefined ? { path: 'commands', flags: ['--brief'] } : { path: `commands ${nearName}` };
  throw new CliError('not_found', `command "${path}" not found`, { hint });
}

function leanTree({ version, change_record }: Tree, { groups, commands }: PartialTree): PartialTree {
  // Agents pay for every byte, so fields that all changes share are left out. The whole tree lists them once.
  const commonFields = new Set(change_record.fields.map((field) => JSON.stringify(field)));
  const leanCommands = commands.map(({ fields = [], ...command }) => ({
    ...command,
    fields: command.shows === 'change' ? fields.filter((field) => !commonFields.has(JSON.stringify(field))) : fields,
  }));
  return { version, ...(withoutEmpty({ groups, commands: leanCommands }) as PartialTree) };
}

function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (!isObject(value)) return value;
  const isEmpty = (member: unknown) => (member ?? false) === false || (Array.isArray(member) && member.length === 0);
  const members = Object.entries(value).filter(([, member]) => !isEmpty(member));
  return Object.fromEntries(members.map(([key, member]) => [key, withoutEmpty(member)]));
}

function briefCommand({ name, about, changes_something, confirmation }: Tree['commands'][number]) {
  return { name, about, changes_something, confirmation };
}
