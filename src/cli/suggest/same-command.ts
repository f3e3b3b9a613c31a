import { type CommandLine, flagWords } from '../../contract/command-line.ts';
import type { Meant, Retry } from '../../problems/problem.ts';
import { flagsOf } from '../arguments/arguments.ts';
import { givenValue } from '../arguments/input.ts';
import type { TypedCommand } from '../arguments/invocation.ts';
import { globalOptions, longSpelling, spellings, wordsBehindDashes } from '../arguments/options.ts';
import { openWords, withoutValue } from '../arguments/without-values.ts';

/** An argument, or a flag and its value. */
interface Said {
  readonly long?: string;
  /** As it is printed: a flag that every command knows is short. */
  readonly flag?: string;
  readonly text?: string;
}

/**
 * A command that was read, as a line that asks for the same, or for what was probably meant. Undefined where a value
 * would stand in it that may be secret, or where what was mistyped is not found again.
 */
export function sameCommand(
  typed: TypedCommand,
  { with: added = [], without = [], meant, showsValues }: Retry = {},
): CommandLine | undefined {
  const open = new Set(openWords(typed));
  const shared = globalOptions.map((option) => [longSpelling(option), spellings(option.flags)[0]] as const);
  let line: readonly Said[] = [
    ...typed.words.map((text) => ({ text })),
    ...saidFlags(
      flagsOf(typed.command).map(({ long }) => [long, long]),
      typed.flags,
    ),
    ...saidFlags(shared, { ...typed.options }).filter(({ long = '' }) => !without.includes(long)),
  ];
  for (const { given, by, at } of [meant ?? []].flat()) {
    const found = whereMeant(line, given, at);
    if (found.length === 0) return undefined;
    // A replacement of what may be repeated may be repeated, too.
    if (by !== undefined && open.has(given)) open.add(by);
    const replaced = (said: Said): readonly Said[] => (by === undefined ? [] : [{ ...said, text: by }]);
    line = line.flatMap((said) => (found.includes(said) ? replaced(said) : [said]));
  }
  const isOpen = ({ text = '' }: Said) =>
    Boolean(showsValues) || open.has(text) || isSwitched(text) || withoutValue(text) === text;
  const flags = line.filter((said) => !isArgument(said));
  if (!flags.every(isOpen)) return undefined;
  const isSecret = !line.every(isOpen);
  const typedWords = line.filter(isArgument).map(({ text = '' }) => (isSecret ? text.replace(/=.*$/s, '') : text));
  const [operands, program] = splitAtProgram(typedWords, typed);
  // What was typed as a value can be given on stdin, which no history of a shell keeps.
  const isAlone = operands.length === 1 && operands[0] !== '' && typed.command.params['stdin'] !== undefined;
  if (isSecret && !isAlone) return undefined;
  const words = flags.flatMap(({ flag = '', text }) => (text === undefined ? [flag] : flagWords(flag, text)));
  const own = [...words, ...(isSecret ? ['--stdin'] : []), ...added];
  return { path: typed.path, operands, flags: own, ...(program.length > 0 && { program }) };
}

/** Where names stand in front of a program, nothing but `--` tells them apart. */
function splitAtProgram(words: readonly string[], { command, argv }: TypedCommand) {
  const isSplit = command.output.kind === 'program' && command.positionals.length > 1;
  const count = isSplit ? words.length - wordsBehindDashes(argv) : words.length;
  return [words.slice(0, count), words.slice(count)] as const;
}

/** Where it is known to stand; else among the arguments, since the value of a flag may be the same text by chance. */
function whereMeant(line: readonly Said[], given: string, at: Meant['at']): readonly Said[] {
  const known = line.filter(({ text }) => text === given);
  if (at?.startsWith('--')) return known.filter(({ long }) => long === at);
  const args = known.filter(isArgument);
  return args.length > 0 ? args : known;
}

function isArgument({ flag }: Said): boolean {
  return flag === undefined;
}

/** Neither true nor false is a secret. */
function isSwitched(text: string): boolean {
  return /^[^=]+=(true|false)$/.test(text);
}

function saidFlags(
  flags: readonly (readonly [long: string, shown: string | undefined])[],
  collected: Readonly<Record<string, unknown>>,
): readonly Said[] {
  return flags.flatMap(([long, flag = long]): readonly Said[] => {
    const given = givenValue({ long }, collected);
    if (given === undefined || given === false) return [];
    return given === true ? [{ long, flag }] : [given].flat().map((text) => ({ long, flag, text: String(text) }));
  });
}
