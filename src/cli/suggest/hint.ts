import type { Command } from '../../contract/command.ts';
import {
  type CommandLine,
  commandText,
  commandWords,
  type Destination,
  flagWords,
  type Hint,
  withoutConsentFlags,
} from '../../contract/command-line.ts';
import { holdsSecret } from '../../contract/field.ts';
import { filterRecordType } from '../../contract/metadata.ts';
import { suggestsSecret, wordQuoter } from '../../contract/values/text.ts';
import { CliError, type Correction, expectCliError, type Replacement } from '../../errors/cli-error.ts';
import { findFieldPath, resolveView } from '../../output/columns.ts';
import { fieldAt } from '../../output/field-path.ts';
import { flagsOf } from '../arguments/arguments.ts';
import { publicArguments, readWaitOptions, refuseUnusedFlags, withoutValue } from '../arguments/flags.ts';
import { readInput } from '../arguments/input.ts';
import {
  countWordsAfterDashes,
  globalOptions,
  type Invocation,
  isTargetFlag,
  plainWordPositions,
  type TypedCommand,
} from '../arguments/options.ts';
import { checkOutputFormat, outputOf, viewFromFlags } from '../arguments/view.ts';
import { namesSeveralStacks } from '../stacks/stack-names.ts';

export type ReadLine = (argv: readonly string[]) => Promise<Invocation>;

interface HintContext {
  readonly line: TypedCommand;
  readonly destination: Destination;
  readonly read: ReadLine;
}

/** Returns the error with its hint and check as lines to paste. A hint that is no valid command is left out. */
export async function completeHint(error: CliError, context: HintContext): Promise<CliError> {
  const { hint: errorHint, correction: _, unknownField, check, extra, ...details } = error.details;
  const { line, destination, read } = context;
  const correction = allowedCorrection(await correctionOf(error, line), context);
  const hint = errorHint ?? (unknownField && { path: line.path, flags: ['--help'] });
  const { platform, forAgent } = destination;
  const text =
    (correction && (await correctedText(correction, context))) ?? (hint && (await hintLine(hint, destination, read)));
  const checkText = check && commandText(check, destination);
  const flagsText = correction && !forAgent ? (correction.add ?? []).map(wordQuoter(platform)).join(' ') : '';
  // If no command can be printed, the message names the flags to add.
  const addition = text !== undefined || error.message.includes(flagsText) ? '' : `; add ${flagsText}`;
  return new CliError(error.kind, error.message + addition, {
    ...details,
    hint: text,
    ...(extra && { extra: { ...extra, ...(check !== undefined && { check: checkText ?? null }) } }),
  });
}

async function correctedText(correction: Correction, { line, destination, read }: HintContext) {
  const { platform, forAgent } = destination;
  const correctedCommand = correctCommand(line, correction);
  const text = correctedCommand && (await hintLine(correctedCommand, { platform, forAgent }, read));
  if (text !== undefined || !correctedCommand) return text;
  // The corrected command cannot run: it has a second mistake, which is corrected as well.
  const suggestedCommand = await suggestCommand(commandWords(correctedCommand), read);
  return suggestedCommand && hintLine(suggestedCommand, { platform, forAgent }, read);
}

async function hintLine(hint: Hint, destination: Partial<Destination>, read: ReadLine): Promise<string | undefined> {
  if (typeof hint === 'string') return hint;
  const lines: readonly CommandLine[] = [hint].flat();
  for (const line of lines) if (!(await canRun(line, read))) return undefined;
  return commandText(lines, destination);
}

function allowedCorrection(correction: Correction | undefined, { line: { command }, destination }: HintContext) {
  const { add = [], replace } = correction ?? {};
  // Agents are shown no flags that consent. If only such flags are missing, the hint would repeat the typed line.
  const isEmptyForAgent = destination.forAgent && add.length > 0 && !replace && withoutConsentFlags(add).length === 0;
  const isServiceRead = !command.isLocal && command.changes === false && command.output.kind !== 'change';
  return isEmptyForAgent || (isTargetFlag(add[0] ?? '') && !isServiceRead) ? undefined : correction;
}

/** Returns the command with its mistakes corrected. Undefined if it still could not run, or might show a secret. */
export async function suggestCommand(
  argv: readonly string[],
  read: ReadLine,
  maxCorrections = 4,
): Promise<CommandLine | undefined> {
  const line = await read(argv).catch(expectCliError);
  if (line instanceof CliError) return commandInHint(line);
  if (line.kind === 'text') {
    const path = plainWordPositions(argv).map((at) => argv[at]);
    // Suggest nothing: `--version` ignores the command before it.
    if (path.length > 0 && argv.includes('--version')) return undefined;
    return { path: path.join(' '), flags: argv.filter((word) => ['--version', '--help', '-h'].includes(word)) };
  }
  const fault = await findFault(line);
  if (!fault) return correctCommand(line);
  const correction = await correctionOf(fault, line);
  const correctedCommand = correction && correctCommand(line, correction);
  const words = correctedCommand && commandWords(correctedCommand);
  return words && maxCorrections > 0 ? suggestCommand(words, read, maxCorrections - 1) : undefined;
}

async function correctionOf({ details }: CliError, { options }: TypedCommand) {
  // For an unknown field a similar field is searched.
  const { correction, unknownField } = details;
  if (!unknownField) return correction;
  const { fieldCorrection } = await import('./field-names.ts');
  return fieldCorrection(unknownField, options);
}

function commandInHint({ details: { hint } }: CliError): CommandLine | undefined {
  const isCommand = typeof hint === 'object' && 'path' in hint && !hint.flags?.includes('--help');
  return isCommand ? hint : undefined;
}

async function canRun(command: CommandLine, read: ReadLine): Promise<boolean> {
  // No stack or other target is looked up.
  const line = await read(commandWords(command)).catch(expectCliError);
  if (line instanceof CliError) return false;
  return line.kind === 'text' || (await findFault(line)) === undefined;
}

async function findFault(line: TypedCommand): Promise<CliError | undefined> {
  try {
    await readInput(line, { resolveTarget: async () => '', readText: async () => 'text', looksUpStacks: false });
    refuseUnusedFlags(line);
    readWaitOptions(line);
    checkOutputFormat(line);
    // Rows of several stacks also have the field `stack`, so a check against the command's fields would be wrong.
    if (!namesSeveralStacks(line.options))
      await resolveView(outputOf(line), viewFromFlags(line), line.command.revealed);
    return undefined;
  } catch (error) {
    return expectCliError(error);
  }
}

interface TypedFlag {
  readonly long: string;
  /** The spelling in the hint: short for global options (`-s`), else long. */
  readonly shown: string;
  readonly text?: string | undefined;
}

interface CommandParts {
  readonly words: readonly string[];
  readonly flags: readonly TypedFlag[];
  readonly added: readonly string[];
}

/** Returns the corrected command. Undefined if it might show a secret, or if the word to replace is not in it. */
export function correctCommand(
  typedCommand: TypedCommand,
  { path = typedCommand.path, add = [], replace = [] }: Correction = {},
  showsValues = false,
): CommandLine | undefined {
  const publicValues = new Set(publicArguments(typedCommand));
  let parts: CommandParts | undefined = { words: typedCommand.words, flags: listTypedFlags(typedCommand), added: add };
  for (const replacement of [replace].flat()) {
    parts = parts && replaceWord(parts, replacement);
    // If a value may be shown, the words that replace it may be shown, too.
    if (publicValues.has(replacement.word)) for (const word of replacement.by) publicValues.add(word);
  }
  if (!parts) return undefined;
  const { words, flags, added } = parts;
  const mayShowText = (text = '') => showsValues || publicValues.has(text) || withoutValue(text) === text;
  const mayShowFlag = ({ long, text }: TypedFlag) =>
    long === '--where' && !showsValues ? !comparesSecret(text, typedCommand.command) : mayShowText(text);
  if (!flags.every(mayShowFlag)) return undefined;
  const hasSecret = !words.every((word) => mayShowText(word) || isHarmlessAssignment(word));
  const shownWords = hasSecret ? words.map((word) => word.replace(/=.*$/s, '')) : words;
  const [operands, program] = splitAtProgram(shownWords, typedCommand);
  // A single secret value can come from stdin instead, so the shell's history does not store the value.
  const takesStdin = operands.length === 1 && operands[0] !== '' && typedCommand.command.params['stdin'] !== undefined;
  if (hasSecret && !takesStdin) return undefined;
  const shownFlags = flags.flatMap(({ shown, text }) => (text === undefined ? [shown] : flagWords(shown, text)));
  return {
    path,
    operands,
    flags: [...shownFlags, ...(hasSecret ? ['--stdin'] : []), ...added],
    ...(program.length > 0 && { program }),
  };
}

/** True for a condition on a masked field: its value may be a guess of the secret. */
function comparesSecret(condition = '', { output }: Command): boolean {
  const [path = ''] = /^[^=!~<>]*/.exec(condition) ?? [];
  return [filterRecordType(output), output.table, output.reply?.record].some((record) => {
    const field = record && fieldAt(record.fields, findFieldPath(path, record) ?? path);
    return field !== undefined && holdsSecret(field);
  });
}

/** True for an assignment that a shell's history may store. A long value with digits could be a token. */
function isHarmlessAssignment(word: string): boolean {
  const [, name, value = ''] = /^([^=]+)=([\w.,:/@+-]*)$/.exec(word) ?? [];
  return name !== undefined && !suggestsSecret(name, value) && !/^(?=.*\d)[\w/+-]{20,}$/.test(value);
}

function replaceWord({ words, flags, added }: CommandParts, { word, by, at }: Replacement): CommandParts | undefined {
  if (word.startsWith('--'))
    return { words, flags: flags.filter(({ long }) => long !== word), added: [...added, ...by] };
  if (at === undefined && words.includes(word)) {
    if (by[0]?.startsWith('-')) return { words: words.filter((one) => one !== word), flags, added: [...added, ...by] };
    return { words: words.flatMap((one) => (one === word ? by : one)), flags, added };
  }
  const isReplaced = ({ long, text }: TypedFlag) => text === word && (at === undefined || long === at);
  if (!flags.some(isReplaced)) return undefined;
  const newFlags = flags.flatMap((flag) => (isReplaced(flag) ? by.map((text) => ({ ...flag, text })) : [flag]));
  return { words, flags: newFlags, added };
}

function splitAtProgram(words: readonly string[], { command, argv }: TypedCommand) {
  // Only `--` tells where the names of servers end and the program begins.
  const hasProgram = command.output.kind === 'program' && command.positionals.length > 1;
  const operandCount = hasProgram ? words.length - countWordsAfterDashes(argv) : words.length;
  return [words.slice(0, operandCount), words.slice(operandCount)] as const;
}

function listTypedFlags({ command, flags, options }: TypedCommand): readonly TypedFlag[] {
  const commandFlags = flagsOf(command).map(({ long }) => ({ long, shown: long, value: flags[long] }));
  const globalFlags = globalOptions.map(({ long, spellings: [shown = long], name }) => {
    return { long, shown, value: options[name] };
  });
  return [...commandFlags, ...globalFlags].flatMap(({ value, ...flag }) => {
    if (value === undefined) return [];
    return value === true ? flag : [value].flat().map((text) => ({ ...flag, text: String(text) }));
  });
}
