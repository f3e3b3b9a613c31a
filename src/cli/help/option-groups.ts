import { type GlobalOption, globalOptions } from '../arguments/options.ts';
import { labelled } from './help-layout.ts';

/** The options that commands share, in the groups in which help and man pages explain them. */
export const optionGroups = [
  group('Where a command acts', 'target'),
  group('Output', 'output', 'list', 'secret'),
  group('Changes', 'write', 'wait', 'several'),
  group('Connection and terminal', 'connection', 'process'),
] as const;

function group(title: string, ...of: readonly GlobalOption['group'][]) {
  return { title, options: globalOptions.filter(({ group }) => of.includes(group)) };
}

/** Explained by `help options` and `help output`, and left out of the short lists of a command's help. */
const rarelyTyped = [
  '--columns',
  '--header',
  '--no-header',
  '--no-trunc',
  '--notify',
  '--base-url',
  '--read-only',
  '--timeout',
  '--color',
];

/** `Output:   --json --fields …`: the shared options of a command, group by group, in their long spelling. */
export function briefLists(taken: readonly string[]): string {
  const [, output, changes, everywhere] = optionGroups;
  const listed = ({ options }: typeof output, isTaken = (name: string) => taken.includes(name)) =>
    options
      .filter(({ group }) => group !== 'secret')
      .map(({ long }) => long)
      .filter((name) => isTaken(name) && !rarelyTyped.includes(name))
      .join(' ');
  const outputs = listed(output);
  return [
    labelled('Output', outputs && `${outputs}; see help output`),
    labelled('Changes', listed(changes)),
    labelled('Global', `${listed(everywhere, () => true)} --help; see help options`),
  ]
    .filter(Boolean)
    .join('\n');
}
