import type { CommandNode } from '../../contract/tree.ts';
import { indented, layOutPage, section, twoColumns } from './help-layout.ts';
import { topicNames } from './topics/topic-names.ts';

const everyday = ['stack', 'env', 'deployment', 'redeploy', 'variant', 'status'];
const tool = ['auth', 'profile', 'config', 'history', 'doctor', 'completion', 'commands', 'sandbox', 'api'];

/** The flags to know first, in two columns of two; `help options` explains all of them. */
const flags = [
  ['-s, --stack <name>', 'Stack to act on.', '-y, --yes', 'Assume yes.'],
  ['-p, --profile <name>', 'Profile to use.', '-v, --verbose', 'Trace requests.'],
  ['--json', 'Print JSON.', '--sandbox', 'Practice service.'],
  ['-n, --dry-run', 'Print the request.', '-h, --help', 'Show help.'],
] as const;

/** `stackops --help`: all of it stands on a terminal of 80 columns and 24 lines. */
export function firstScreen({ about, children }: CommandNode): string {
  const rows = everyday.map((name): readonly [string, string] => [name, children.get(name)?.about ?? envAbout]);
  const others = [...children.keys()].filter((name) => !everyday.includes(name) && !tool.includes(name));
  return layOutPage([
    `${about}\nUsage: stackops <command> [flags]`,
    section('Everyday', twoColumns(rows)),
    [named('Also', others), named('Tool', tool), named('Topics', Object.keys(topicNames))].join('\n'),
    section(
      'Flags',
      flags.map(
        ([left, meaning, right, other]) => `${left.padEnd(22)}${meaning.padEnd(20)}${right.padEnd(15)}${other}`,
      ),
    ),
    'More: stackops commands, stackops <command> --help, stackops help <topic>.',
  ]);
}

/** `env` is short for `stack env`, and no noun of its own. */
const envAbout = 'List, set, unset and roll back environment variables.';

function named(title: string, names: readonly string[]): string {
  return indented(names.join(' '), 12)
    .map((line, index) => `${(index === 0 ? `${title}:` : '').padEnd(12)}${line}`)
    .join('\n');
}
