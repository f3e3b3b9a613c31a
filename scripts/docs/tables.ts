import type { TreeDescription } from '../../src/cli/help/describe-tree.ts';
import { commandsThatAsk } from '../../src/cli/help/topics/topics.ts';
import { topLevel } from '../../src/commands/index.ts';
import type { Command } from '../../src/contract/command.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { everyOperation } from '../../src/resources/index.ts';

export function referenceTable({ commands }: TreeDescription): string {
  return markdownTable([['Command', 'Purpose'], ...commands.map(({ name, about }) => [`\`${name}\``, about])]);
}

/** A Markdown table of the commands that ask for confirmation: when, and which flag answers. */
export function confirmationTable({ commands }: TreeDescription): string {
  const rows = (['yes', 'typed'] as const).flatMap((level) =>
    commandsThatAsk(commands, level).map(([name, when]) => [`\`${name}\``, when, answers[level]]),
  );
  return markdownTable([['Command', 'Asks', 'Answer'], ...rows]);
}

const answers = { yes: '`-y`', typed: '`--confirm NAME`' } as const;

export function shapeTable({ commands }: TreeDescription): string {
  const { fields = [] } = commands.find(({ name }) => name === 'commands') ?? {};
  return markdownTable([['Key', 'Meaning'], ...fields.map(({ name, about }) => [`\`${name}\``, about])]);
}

export function exitCodeTable({ exit_codes: codes }: TreeDescription): string {
  return markdownTable([['Code', 'Meaning'], ...codes.map(({ code, meaning }) => [String(code), meaning])]);
}

export async function readCoverage() {
  const menus = await Promise.all(topLevel.map(({ load }) => load()));
  const commands = menus.flatMap((menu) => Object.entries(menu));
  return everyOperation().map(([, operation]) => ({ operation, commands: commandsOf(operation, commands) }));
}

/** A table of the commands that call each operation; `withheld` is the reason for none. */
export function coverageTable(coverage: Awaited<ReturnType<typeof readCoverage>>): string {
  const rows = coverage
    .toSorted((one, other) => Number(one.operation.outside ?? false) - Number(other.operation.outside ?? false))
    .map(({ operation, commands }) => [
      `\`${operation.method} ${operation.path}\``,
      commands.length > 0 ? commands.map((name) => `\`${name}\``).join(', ') : `\`api\`. ${operation.withheld ?? ''}`,
      operation.scope,
      [operation.outside ? 'Not in the service document.' : '', operation.undocumented ?? ''].filter(Boolean).join(' '),
    ]);
  const head = ['Operation', 'Command', 'Scope', 'Assumption'];
  return markdownTable([head, ...rows]);
}

function commandsOf(operation: Operation, all: readonly (readonly [string, Command])[]): readonly string[] {
  const calling = all.filter(([, command]) => command.calls.includes(operation));
  // Other commands call it only to find a name.
  const direct = calling.filter(([, command]) => command.calls.at(-1) === operation);
  return (direct.length > 0 ? direct : calling).filter(() => !operation.withheld).map(([name]) => name);
}

function markdownTable([head = [], ...rows]: readonly (readonly string[])[]): string {
  const lineOf = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [head, head.map(() => '---'), ...rows].map(lineOf).join('\n');
}

/** The document with the text between two marks replaced. Throws if the marks are missing. */
export function withBlock(text: string, name: string, block: string): string {
  const [begin, end] = [`<!-- ${name}: written by \`npm run docs\` -->`, `<!-- end of ${name} -->`];
  const [before, rest] = [text.indexOf(begin), text.indexOf(end)];
  if (before < 0 || rest < before) throw new Error(`the document lacks "${begin}" or "${end}"`);
  return `${text.slice(0, before)}${begin}\n\n${block}\n\n${text.slice(rest)}`;
}
