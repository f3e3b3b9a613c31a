import { asking } from '../cli/help/topics/confirmation.ts';
import type { TreeDescription } from '../contract/description.ts';

/** A Markdown table of the commands and their purpose. */
export function referenceTable({ commands }: TreeDescription): string {
  return markdownTable([['Command', 'Purpose'], ...commands.map(({ name, about }) => [`\`${name}\``, about])]);
}

/** A Markdown table of the commands that ask before they act: when, and what answers. */
export function confirmationTable({ commands }: TreeDescription): string {
  const rows = (['yes', 'typed'] as const).flatMap((level) =>
    asking(commands, level).map(([name, when]) => [`\`${name}\``, when, answers[level]]),
  );
  return markdownTable([['Command', 'Asks', 'Answer'], ...rows]);
}

const answers = { yes: '`-y`', typed: '`--confirm NAME`' } as const;

/** A Markdown table of what `commands --json` prints: keys and their meaning. */
export function shapeTable({ commands }: TreeDescription): string {
  const { fields = [] } = commands.find(({ name }) => name === 'commands') ?? {};
  return markdownTable([['Key', 'Meaning'], ...fields.map(({ name, about }) => [`\`${name}\``, about])]);
}

/** A Markdown table of the exit codes. */
export function exitCodeTable({ exit_codes: codes }: TreeDescription): string {
  return markdownTable([['Code', 'Meaning'], ...codes.map(({ code, meaning }) => [String(code), meaning])]);
}

/** The first row is the heading. */
export function markdownTable([head = [], ...rows]: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map(lineOf).join('\n');
}

/** The document with what stands between two marks renewed; throws when they are not there. */
export function withBlock(text: string, name: string, block: string): string {
  const [begin, end] = [`<!-- ${name}: written by \`npm run docs\` -->`, `<!-- end of ${name} -->`];
  const [before, rest] = [text.indexOf(begin), text.indexOf(end)];
  if (before < 0 || rest < before) throw new Error(`the document lacks "${begin}" or "${end}"`);
  return `${text.slice(0, before)}${begin}\n\n${block}\n\n${text.slice(rest)}`;
}

function lineOf(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
