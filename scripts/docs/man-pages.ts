import { type GlobalOption, helpAndVersion } from '../../src/cli/arguments/options.ts';
import { type CommandDescription, longSpelling } from '../../src/cli/help/describe.ts';
import type { TreeDescription } from '../../src/cli/help/describe-tree.ts';
import { exitRows, flagsOfEveryCommand, namesOf, notesOf, sentencesOf, valueRows } from '../../src/cli/help/help.ts';
import { optionGroups } from '../../src/cli/help/option-groups.ts';
import type { Topic, TopicBlock } from '../../src/cli/help/topics/topic.ts';
import {
  argumentMacros,
  flagMacros,
  literal,
  longFlags,
  macroText,
  mdocParagraph,
  opening,
  tagList,
  typedMacros,
} from './mdoc.ts';

interface Manual {
  readonly tree: TreeDescription;
  readonly topics: readonly (readonly [name: string, topic: Topic])[];
  readonly released: string;
}

/** All pages by file: one for the tool, one for each top-level command, one for each help topic. */
export function manPages(manual: Manual): ReadonlyMap<string, string> {
  const pages = [
    toolPage(manual),
    ...topLevel(manual).map((resource) => topLevelPage(manual, resource)),
    ...topicPages(manual),
  ];
  return new Map(pages.map(({ file, lines }) => [`man/${file}`, `${lines.join('\n')}\n`]));
}

type ManualSection = ReturnType<typeof topLevel>[number];

function topLevel({ tree }: Manual) {
  const names = [...new Set(tree.commands.map((command) => command.name.split(' ', 1)[0] ?? ''))];
  return names.map((name) => {
    const commands = tree.commands.filter((command) => command.name === name || command.name.startsWith(`${name} `));
    const group = tree.groups.find((group) => group.name === name);
    const { about, description } = group ?? commands[0] ?? { about: '', description: null };
    return { name, commands, about, description: description ?? about };
  });
}

function toolPage(manual: Manual) {
  const { tree, released } = manual;
  const { options, exit_codes: codes, topics } = tree;
  return {
    file: 'stackops.1',
    lines: [
      ...opening('stackops', 1, tree.about, released),
      '.Sh SYNOPSIS',
      '.Nm stackops',
      '.Ar command',
      '.Op Ar flags',
      '.Sh DESCRIPTION',
      ...mdocParagraph('Each noun has a page of its own, and so has each topic.'),
      '.Sh COMMANDS',
      ...tagList(topLevel(manual).map(({ name, about }) => [typedMacros(name), about])),
      '.Sh TOPICS',
      ...tagList(topics.map((topic) => [typedMacros(`help ${topic.name}`), topic.about])),
      '.Sh OPTIONS',
      ...tagList([...options, ...helpAndVersion].map(({ flags, about }) => [flagMacros(flags), about])),
      '.Sh EXIT STATUS',
      ...tagList(codes.map(({ code, meaning }) => [String(code), `${meaning}.`])),
      ...seeAlso(manual, 'stackops 1'),
    ],
  };
}

function topLevelPage(manual: Manual, { name, about, description, commands }: ManualSection) {
  const title = `stackops-${name}`;
  const alike = flagsOfEveryCommand().map((long) => `\`${long}\``);
  return {
    file: `${title}.1`,
    lines: [
      ...opening(title, 1, about, manual.released),
      '.Sh SYNOPSIS',
      ...commands.flatMap(synopsis),
      '.Sh DESCRIPTION',
      ...mdocParagraph(description),
      '.Sh COMMANDS',
      ...commands.flatMap(commandSection),
      ...sharedSections(commands),
      '.Sh GLOBAL OPTIONS',
      ...mdocParagraph(`${alike.slice(0, -1).join(', ')} and ${alike.at(-1)} are explained in`),
      '.Xr stackops 1 .',
      '.Sh EXIT STATUS',
      ...mdocParagraph('Other exit codes are explained in'),
      '.Xr stackops-exit-codes 7 .',
      ...seeAlso(manual, `${title} 1`),
    ],
  };
}

function synopsis(command: CommandDescription): readonly string[] {
  return [
    `.Nm stackops ${command.name.split(' ').map(macroText).join(' ')}`,
    ...command.arguments.map(({ shown }) => `.${argumentMacros(shown)}`),
    ...(command.runs_program ? [] : ['.Op Ar flags']),
  ];
}

function commandSection(command: CommandDescription): readonly string[] {
  const [fields, columns] = [namesOf(command.fields), namesOf(command.columns)];
  const own = command.flags.map((flag) => [flagMacros(flag.flags), sentencesOf(flag)] as const);
  const notes = notesOf(command).join(' ');
  const shared = sharedOptions(command);
  const values = valueRows(command).map(([name, known]) => [typedMacros(name), `${known}.`] as const);
  const exits = exitRows(command).map(([code, meaning]) => [code, `${meaning}.`] as const);
  const args = command.arguments.map((one) => [argumentMacros(one.shown), sentencesOf(one)] as const);
  return [
    `.Ss stackops ${macroText(command.name)}`,
    ...mdocParagraph(command.about),
    ...tagList([...args, ...own]),
    ...literal(command.examples),
    ...(shared.length > 0 ? ['.Pp', ...mdocParagraph('Shared flags, explained below:'), ...longFlags(shared)] : []),
    ...(fields.length > 0 ? ['.Pp', ...mdocParagraph(`Fields: ${fields.join(', ')}.`)] : []),
    ...(columns.length > 0 ? ['.Pp', ...mdocParagraph(`Columns: ${columns.join(', ')}.`)] : []),
    ...compactSection('Values:', values),
    ...(notes === '' ? [] : ['.Pp', ...mdocParagraph(notes)]),
    ...compactSection('Exit codes:', exits),
  ];
}

function sharedSections(commands: readonly CommandDescription[]): readonly string[] {
  const taken = new Set(commands.flatMap(sharedOptions));
  return optionGroups.flatMap(({ title, options }) => {
    const listed = options.filter((option) => taken.has(option.long));
    if (listed.length === 0) return [];
    return [
      `.Sh ${title.toUpperCase()}`,
      ...tagList(listed.map((option) => [flagMacros(option.flags), aboutOf(option, commands)])),
    ];
  });
}

function sharedOptions({ places, options }: CommandDescription): readonly string[] {
  return [...places.map(longSpelling), ...options];
}

function aboutOf(option: GlobalOption, commands: readonly CommandDescription[]): string {
  const isPlural = option.long === '--stack' && commands.some(({ several_stacks }) => several_stacks);
  return isPlural ? `${option.about} ${severalStacks}` : option.about;
}

const severalStacks =
  'Commands for several stacks take names with commas, @FILE (one per line, comments after #), or - for stdin.';

function compactSection(title: string, rows: readonly (readonly [string, string])[]): readonly string[] {
  return rows.length === 0 ? [] : ['.Pp', title, ...tagList(rows, 'compact')];
}

function topicPages(manual: Manual) {
  return manual.topics.map(([name, { blocks }]) => {
    const title = `stackops-${name}`;
    const about = manual.tree.topics.find((topic) => topic.name === name)?.about ?? '';
    const examples = blocks.flatMap((block) =>
      typeof block === 'object' && 'examples' in block ? block.examples : [],
    );
    return {
      file: `${title}.7`,
      lines: [
        ...opening(title, 7, about, manual.released),
        '.Sh DESCRIPTION',
        ...blocks.flatMap(topicBlock),
        ...(examples.length > 0 ? ['.Sh EXAMPLES', ...literal(examples)] : []),
        ...seeAlso(manual, `${title} 7`),
      ],
    };
  });
}

function topicBlock(block: TopicBlock, index: number): readonly string[] {
  if (typeof block === 'string') return [...(index > 0 ? ['.Pp'] : []), ...mdocParagraph(block)];
  if ('examples' in block) return [];
  const tagOf = (name: string) => (name.startsWith('-') ? flagMacros(name) : typedMacros(name));
  const rows = block.rows.map(([name, meaning]) => [tagOf(name), meaning] as const);
  return [...(block.title ? [`.Ss ${macroText(block.title)}`] : []), ...tagList(rows)];
}

function seeAlso(manual: Manual, own: string): readonly string[] {
  const topics = manual.topics.map(([name]) => `stackops-${name} 7`);
  const commands = topLevel(manual).map(({ name }) => `stackops-${name} 1`);
  const related = own === 'stackops 1' ? [...commands, ...topics] : ['stackops 1', ...topics];
  // The order of mdoc: by section, then by name.
  const bySection = (page: string) => page.split(' ').toReversed().join(' ');
  const pages = related
    .filter((page) => page !== own)
    .toSorted((one, other) => bySection(one).localeCompare(bySection(other)));
  return ['.Sh SEE ALSO', ...pages.map((page, index) => `.Xr ${page}${index < pages.length - 1 ? ' ,' : ''}`)];
}
