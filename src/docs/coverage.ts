import { type Command, callsOf } from '../contract/command.ts';
import type { Operation } from '../contract/operation.ts';
import { everyOperation } from '../resources/index.ts';
import { markdownTable } from './tables.ts';
import { documentedNouns } from './tree.ts';

/** The commands that call an operation; `withheld` says why it has none of its own. */
export interface Covered {
  readonly operation: Operation;
  readonly commands: readonly string[];
}

/** Every operation of the catalogue with the commands it is there for. */
export async function readCoverage(): Promise<readonly Covered[]> {
  const menus = await Promise.all(documentedNouns.map(({ load }) => load()));
  const commands = menus.flatMap((menu) => Object.entries(menu));
  return everyOperation().map(([, operation]) => ({ operation, commands: commandsOf(operation, commands) }));
}

/** A Markdown table: operation, commands, scope, assumption. */
export function coverageTable(coverage: readonly Covered[]): string {
  const rows = coverage
    .toSorted((one, other) => Number(one.operation.outside ?? false) - Number(other.operation.outside ?? false))
    .map(({ operation, commands }) => [
      `\`${operation.method} ${operation.path}\``,
      commands.length > 0 ? commands.map((name) => `\`${name}\``).join(', ') : `\`api\`. ${operation.withheld ?? ''}`,
      operation.scope,
      assumptionOf(operation),
    ]);
  const head = ['Operation', 'Command', 'Scope', 'Assumption'];
  return markdownTable([head, ...rows]);
}

/** The commands whose last call it is; other commands call it only to find a name. */
function commandsOf(operation: Operation, all: readonly (readonly [string, Command])[]): readonly string[] {
  const calling = all.filter(([, command]) => callsOf(command).includes(operation));
  const meant = calling.filter(([, command]) => callsOf(command).at(-1) === operation);
  return (meant.length > 0 ? meant : calling).filter(() => !operation.withheld).map(([name]) => name);
}

function assumptionOf({ undocumented, outside }: Operation): string {
  return [outside ? 'Not in the service document.' : '', undocumented ?? ''].filter(Boolean).join(' ');
}
