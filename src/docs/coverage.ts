import { type MenuServices, nouns } from '../commands/index.ts';
import type { Command } from '../contract/command.ts';
import type { Operation } from '../contract/operation.ts';
import { everyOperation } from '../resources/index.ts';

/** The words that lead to an operation; `withheld` says why there are none of its own. */
export interface Covered {
  readonly operation: Operation;
  readonly words: readonly string[];
}

const begin = '<!-- coverage: written by `npm run docs` -->';
const end = '<!-- end of coverage -->';

/** Every operation of the catalogue with the commands it is there for. */
export async function readCoverage(): Promise<readonly Covered[]> {
  const menus = await Promise.all(nouns.map(({ load }) => load(stub() as MenuServices)));
  const commands = menus.flatMap((menu) => Object.entries(menu));
  return everyOperation().map(([, operation]) => ({ operation, words: wordsFor(operation, commands) }));
}

/** A Markdown table: operation, commands, scope, assumption. */
export function coverageTable(coverage: readonly Covered[]): string {
  const rows = coverage
    .toSorted((one, other) => Number(one.operation.outside ?? false) - Number(other.operation.outside ?? false))
    .map(({ operation, words }) => [
      `\`${operation.method} ${operation.path}\``,
      words.length > 0 ? words.map((word) => `\`${word}\``).join(', ') : `\`api\`. ${operation.withheld ?? ''}`,
      operation.scope,
      assumptionOf(operation),
    ]);
  const head = ['Operation', 'Command', 'Scope', 'Assumption'];
  return [head, head.map(() => '---'), ...rows].map(lineOf).join('\n');
}

/** The document with its table renewed; throws when the two marks are not there. */
export function withCoverage(text: string, table: string): string {
  const [before, rest] = [text.indexOf(begin), text.indexOf(end)];
  if (before < 0 || rest < before) throw new Error(`the document lacks "${begin}" or "${end}"`);
  return `${text.slice(0, before)}${begin}\n\n${table}\n\n${text.slice(rest)}`;
}

/** The commands whose last call it is; others only pass by, such as those that look up a name first. */
function wordsFor(operation: Operation, commands: readonly (readonly [string, Command])[]): readonly string[] {
  const calling = commands.filter(([, { calls }]) => calls.includes(operation));
  const meant = calling.filter(([, { calls }]) => calls.at(-1) === operation);
  return (meant.length > 0 ? meant : calling).filter(() => !operation.withheld).map(([words]) => words);
}

function assumptionOf({ undocumented, outside }: Operation): string {
  return [outside ? 'Outside the document.' : '', undocumented ?? ''].filter(Boolean).join(' ');
}

function lineOf(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

/** Menus are only looked at here, never run: what they would ask of the program answers with itself. */
function stub(): unknown {
  return new Proxy(() => undefined, { get: (_, name) => (name === 'then' ? undefined : stub()), apply: () => stub() });
}
