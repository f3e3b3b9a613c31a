import type { Command } from '../../contract/command.ts';
import type { CommandNode } from '../../contract/tree.ts';
import { flagsOf } from '../arguments/arguments.ts';
import { globalOptions, longSpelling, spellings } from '../arguments/options.ts';
import { flagsMeant } from './other-words.ts';

interface UnknownFlag {
  /** `--jsn`, or `--jsn=x`. */
  readonly typed: string;
  /** The one that is spelled alike, where there is one. */
  readonly close: string | undefined;
}

/** The arguments with the flag that was probably meant; undefined where nobody can tell. */
export function withKnownFlag(
  argv: readonly string[],
  { typed, close }: UnknownFlag,
  { command }: CommandNode,
): readonly string[] | undefined {
  const at = argv.findIndex((arg) => arg === typed || arg.startsWith(`${typed}=`));
  if (at < 0) return undefined;
  const [name = '', ...value] = (argv[at] ?? '').split(/=(.*)/s, 2);
  const ours = flagsMeant(name) ?? (command && longerFlag(name, command));
  if (ours) return argv.toSpliced(at, 1, ...ours, ...value);
  if (close === undefined || isTarget(close)) return undefined;
  return argv.with(at, `${close}${(argv[at] ?? '').slice(typed.length)}`);
}

/** The only flag that begins so: `--rollout-strategy` for `--rollout`. */
function longerFlag(start: string, command: Command): readonly string[] | undefined {
  if (!/^--\w{3}/.test(start)) return undefined;
  const known = [...flagsOf(command), ...globalOptions.map((option) => ({ long: longSpelling(option) }))];
  const found = known
    .map(({ long }) => long)
    .filter((long) => long.startsWith(start) && long !== start && !isTarget(long));
  return found.length === 1 ? found : undefined;
}

/** Whether a flag chooses what a command acts on: nobody shall paste another target than the one that was meant. */
export function isTarget(flag: string): boolean {
  return globalOptions.some(
    ({ where, flags }) => (where === 'place' || where === 'connection') && spellings(flags).includes(flag),
  );
}
