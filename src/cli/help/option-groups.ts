import { type GlobalOption, globalOptions } from '../arguments/options.ts';
import { labelledText } from './help-layout.ts';

export const optionGroups = [
  createGroup('Where a command acts', 'target'),
  createGroup('Output', 'output', 'list', 'secret'),
  createGroup('Changes', 'write', 'wait', 'several'),
  createGroup('Connection and terminal', 'connection', 'process'),
] as const;

function createGroup(title: string, ...of: readonly GlobalOption['group'][]) {
  return { title, options: globalOptions.filter(({ group }) => of.includes(group)) };
}

/** Options that the short lists of a command's help leave out. `help options` and `help output` explain them. */
const rarelyTypedOptions =
  '--columns --header --no-header --no-trunc --notify --base-url --read-only --timeout --color'.split(' ');

/** Returns lines for the help of a command, one for each group of global options: `Output:   --json --fields …`. */
export function briefOptionLists(appliedOptions: readonly string[]): string {
  const [, output, changes, connection] = optionGroups;
  const listNames = ({ options }: typeof output, isApplied = (name: string) => appliedOptions.includes(name)) =>
    options
      .filter(({ group, long }) => group !== 'secret' && isApplied(long) && !rarelyTypedOptions.includes(long))
      .map(({ long }) => long)
      .join(' ');
  const outputNames = listNames(output);
  return [
    labelledText('Output', outputNames && `${outputNames}; see help output`),
    labelledText('Changes', listNames(changes)),
    labelledText('Global', `${listNames(connection, () => true)} --help; see help options`),
  ]
    .filter(Boolean)
    .join('\n');
}
