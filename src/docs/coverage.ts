import { type Command, callsOf } from '../contract/command.ts';
import type { Operation } from '../contract/operation.ts';
import { everyOperation } from '../resources/index.ts';
import { markdownTable } from './tables.ts';
import { documentedNouns } from './tree.ts';

/** The words that lead to an operation; `withheld` says why there are none of its own. */
export interface Covered {
  readonly operation: Operation;
  readonly words: readonly string[];
}

/** Every operation of the catalogue with the commands it is there for. */
export async function readCoverage(): Promise<readonly Covered[]> {
  const menus = await Promise.all(documentedNouns.map(({ load }) => load()));
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
  return markdownTable([head, ...rows]);
}

/** The commands whose last call it is; others only pass by, such as those that look up a name first. */
function wordsFor(operation: Operation, commands: readonly (readonly [string, Command])[]): readonly string[] {
  const calling = commands.filter(([, command]) => callsOf(command).includes(operation));
  const meant = calling.filter(([, command]) => callsOf(command).at(-1) === operation);
  return (meant.length > 0 ? meant : calling).filter(() => !operation.withheld).map(([words]) => words);
}

function assumptionOf({ undocumented, outside }: Operation): string {
  return [outside ? 'Outside the document.' : '', undocumented ?? ''].filter(Boolean).join(' ');
}
