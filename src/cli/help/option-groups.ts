import { type GlobalOption, globalOptions, longSpelling } from '../arguments/options.ts';
import { labelled } from './help-layout.ts';

/** The options that commands share, in the groups in which help and man pages explain them. */
export const optionGroups = [
  { title: 'Where a command acts', of: ['place'] },
  { title: 'Output', of: ['output', 'list', 'secret'] },
  { title: 'Changes', of: ['write', 'wait', 'several'] },
  { title: 'Connection and terminal', of: ['connection', 'process'] },
] as const satisfies readonly { readonly title: string; readonly of: readonly GlobalOption['where'][] }[];

export function optionsIn({ of }: { readonly of: readonly GlobalOption['where'][] }): readonly GlobalOption[] {
  return globalOptions.filter(({ where }) => of.includes(where));
}

/** Explained by `help options` and `help output`, and left out of the short lists of a command's help. */
const rarelyTyped = [
  '--columns',
  '--header',
  '--no-header',
  '--notify',
  '--base-url',
  '--read-only',
  '--timeout',
  '--color',
];

/** `Output:   --json --fields …`: the shared options of a command, group by group, in their long spelling. */
export function briefLists(taken: readonly string[]): string {
  const [, output, changes, everywhere] = optionGroups;
  const listed = (group: (typeof optionGroups)[number], isTaken = (name: string) => taken.includes(name)) =>
    optionsIn(group)
      .filter(({ where }) => where !== 'secret')
      .map(longSpelling)
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
