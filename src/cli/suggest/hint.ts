import { type CommandLine, commandText, type Destination, flagWords, hintText } from '../../contract/command-line.ts';
import { wordQuoter } from '../../contract/values/shell-word.ts';
import { CliError, type Correction, type Replacement } from '../../errors/cli-error.ts';
import { attempt } from '../../errors/unreadable.ts';
import { flagsOf } from '../arguments/arguments.ts';
import { readInput } from '../arguments/input.ts';
import {
  givenValue,
  globalOptions,
  type Invocation,
  longSpelling,
  plainWords,
  spellings,
  type TypedCommand,
  wordsBehindDashes,
} from '../arguments/options.ts';
import { readWaitOptions } from '../arguments/wait-options.ts';
import { openArguments, withoutValue } from '../arguments/without-values.ts';

/** The same problem, its hint and check as lines to paste: the command, mended, or another at the same service. */
export function completeHint(
  error: CliError,
  { line, destination }: { readonly line: TypedCommand; readonly destination: Destination },
): CliError {
  const { hint, retry, check, extra, ...details } = error.details;
  const shown = (retry && retryText(line, retry, destination)) ?? (hint && hintText(hint, destination));
  const checked = check && commandText(check, destination);
  const flags = retry?.with?.map(wordQuoter(destination.platform)).join(' ') ?? '';
  // What to add to a command that no hint can say again.
  const added = shown !== undefined || error.message.includes(flags) ? '' : `; add ${flags}`;
  return new CliError(error.kind, error.message + added, {
    ...details,
    hint: shown,
    ...(extra && { extra: { ...extra, ...(check !== undefined && { check: checked ?? null }) } }),
  });
}

function retryText(typed: TypedCommand, retry: Correction, destination: Destination): string | undefined {
  const { isLocal, changes, output } = typed.command;
  const isReading = !isLocal && changes === false && output.kind !== 'change';
  if (retry.unlessReading && !isReading) return commandText(retry.unlessReading, destination);
  const line = sameCommand(typed, retry);
  const text = line && commandText(line, { platform: destination.platform });
  const first = retry.after && commandText(retry.after, destination);
  return text === undefined || first === undefined ? text : `${first} && ${text}`;
}

export type ReadLine = (argv: readonly string[]) => Promise<Invocation>;

/** The command that these words ask for; undefined where they ask for none that could run, or hold a value. */
export async function suggestCommand(argv: readonly string[], read: ReadLine): Promise<CommandLine | undefined> {
  try {
    const meant = await read(argv);
    if (meant.kind === 'run') {
      // Nothing is looked up: only words that are missing, too many or unfit are found.
      const nothing = async () => '';
      await readInput(meant, { resolveTarget: nothing, readText: nothing });
      return sameCommand(meant, { with: waitNeededBy(meant) });
    }
    const path = plainWords(argv).map((at) => argv[at]);
    return { path: path.join(' '), flags: argv.filter((word) => ['--version', '--help', '-h'].includes(word)) };
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

function waitNeededBy(line: TypedCommand): readonly string[] {
  const limits = attempt(() => readWaitOptions(line));
  if (!(limits instanceof CliError)) return [];
  if (limits.details.retry?.with?.includes('--wait')) return ['--wait'];
  throw limits;
}

interface SaidFlag {
  readonly long: string;
  /** As it is printed: one that every command knows is short. */
  readonly shown: string;
  readonly text?: string | undefined;
}

interface Said {
  readonly words: readonly string[];
  readonly flags: readonly SaidFlag[];
}

/** A command as it was meant; undefined where a secret might stand in it, or what was mistyped is not found again. */
function sameCommand(
  typed: TypedCommand,
  { with: added = [], without = [], meant, showsValues }: Correction = {},
): CommandLine | undefined {
  const open = new Set(openArguments(typed));
  let said: Said = { words: typed.words, flags: saidFlags(typed).filter(({ long }) => !without.includes(long)) };
  for (const one of [meant ?? []].flat()) {
    const corrected = withMeant(said, one);
    if (!corrected) return undefined;
    said = corrected;
    // A replacement of what may be repeated may be repeated, too.
    if (one.by !== undefined && open.has(one.given)) open.add(one.by);
  }
  const { words, flags } = said;
  const isOpen = (text = '') =>
    // Neither true nor false is a secret.
    showsValues || open.has(text) || /^[^=]+=(true|false)$/.test(text) || withoutValue(text) === text;
  if (!flags.every(({ text }) => isOpen(text))) return undefined;
  const isSecret = !words.every((word) => isOpen(word));
  const [operands, program] = splitAtProgram(isSecret ? words.map((word) => word.replace(/=.*$/s, '')) : words, typed);
  // What was typed as a value can be given on stdin, which no history of a shell keeps.
  const isAlone = operands.length === 1 && operands[0] !== '' && typed.command.params['stdin'] !== undefined;
  if (isSecret && !isAlone) return undefined;
  const own = flags.flatMap(({ shown, text }) => (text === undefined ? [shown] : flagWords(shown, text)));
  return {
    path: typed.path,
    operands,
    flags: [...own, ...(isSecret ? ['--stdin'] : []), ...added],
    ...(program.length > 0 && { program }),
  };
}

function withMeant({ words, flags }: Said, { given, by, at = '' }: Replacement): Said | undefined {
  const isOfFlag = at.startsWith('--');
  // The value of a flag may be the same text by chance.
  if (!isOfFlag && words.includes(given)) {
    return { words: words.flatMap((word) => (word === given ? (by ?? []) : word)), flags };
  }
  const isMeant = ({ long, text }: SaidFlag) => text === given && (!isOfFlag || long === at);
  if (!flags.some(isMeant)) return undefined;
  const replaced = by === undefined ? flags.filter((flag) => !isMeant(flag)) : flags;
  return { words, flags: replaced.map((flag) => (isMeant(flag) ? { ...flag, text: by } : flag)) };
}

function splitAtProgram(words: readonly string[], { command, argv }: TypedCommand) {
  // Where names stand in front of a program, nothing but `--` tells them apart.
  const isSplit = command.output.kind === 'program' && command.positionals.length > 1;
  const count = isSplit ? words.length - wordsBehindDashes(argv) : words.length;
  return [words.slice(0, count), words.slice(count)] as const;
}

function saidFlags({ command, flags, options }: TypedCommand): readonly SaidFlag[] {
  const own = flagsOf(command).map(({ long }) => ({ long, shown: long, given: givenValue(long, flags) }));
  const shared = globalOptions.map((option) => {
    const long = longSpelling(option);
    return { long, shown: spellings(option.flags)[0] ?? long, given: givenValue(long, options) };
  });
  return [...own, ...shared].flatMap(({ given, ...flag }) => {
    if (given === undefined || given === false) return [];
    return given === true ? flag : [given].flat().map((text) => ({ ...flag, text: String(text) }));
  });
}
