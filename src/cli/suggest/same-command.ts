import type { CommandLine } from '../../contract/command-line.ts';
import { flagWords } from '../../contract/command-line.ts';
import type { Retry } from '../../problems/problem.ts';
import { flagsOf } from '../arguments/arguments.ts';
import { givenValue } from '../arguments/input.ts';
import type { TypedLine } from '../arguments/invocation.ts';
import { globalOptions, type Options, spellings } from '../arguments/options.ts';
import { openWords, withoutValues } from '../arguments/without-values.ts';

/** A command that was read, as a line that asks for the same, or for what was probably meant. Undefined where a value would stand in it that may be secret. */
export function sameCommand(
  line: TypedLine,
  { with: added = [], without = [], meant }: Retry = {},
): CommandLine | undefined {
  const replaced = new Map([meant ?? []].flat().map(({ given, by }) => [given, by === undefined ? [] : [by]]));
  const mended = (text: string) => replaced.get(text) ?? [text];
  // A replacement of what may be repeated may be repeated, too.
  const open = openWords(line).flatMap((text) => [text, ...mended(text)]);
  const operands = line.words.flatMap(mended);
  // The value of a flag may be the same text by chance.
  const isArgument = line.words.some((text) => replaced.has(text));
  const own = ownFlags(line, isArgument ? asIs : mended);
  // A value that is one of several, with commas, is not found again.
  if (meant && operands.concat(own).join('\n') === line.words.concat(ownFlags(line, asIs)).join('\n')) return undefined;
  const flags = [...own, ...globalFlags(line.options, without)];
  const isOpen = (text: string) => open.includes(text) || isFlag(text) || withoutValues(['--', text])[1] === text;
  if (!flags.every(isOpen)) return undefined;
  const { path } = line;
  if (operands.every(isOpen)) return { path, operands, flags: [...flags, ...added] };
  const [key = '', ...more] = operands.map((operand) => operand.replace(/=.*$/s, ''));
  // What was typed as a value can be given on stdin, which no history of a shell keeps.
  if (key === '' || more.length > 0 || !line.command.params['stdin']) return undefined;
  return { path, operands: [key], flags: [...flags, '--stdin', ...added] };
}

/** Neither true nor false is a secret. */
function isFlag(text: string): boolean {
  return /^[^=]+=(true|false)$/.test(text);
}

const asIs = (text: string) => [text];

function ownFlags({ command, flags }: TypedLine, mended: (text: string) => readonly string[]): readonly string[] {
  return flagsOf(command).flatMap((flag) => {
    const given = givenValue(flag, flags);
    if (given === undefined) return [];
    if (flag.via === 'switch' || flag.via === 'stdin') return [flag.long];
    return [given].flat().flatMap((value) => mended(String(value)).flatMap((text) => flagWords(flag.long, text)));
  });
}

/** Those that every command knows, in their shortest spelling. */
function globalFlags(options: Options, without: readonly string[]): readonly string[] {
  return globalOptions.flatMap(({ flags }) => {
    const [short = '', long = short] = spellings(flags);
    if (without.includes(long)) return [];
    const value = optionValue(options, long);
    if (value === undefined) return [];
    return value === true ? [short] : [value].flat().flatMap((one) => flagWords(short, one));
  });
}

/** What was given for `--base-url`; true for `--no-input` where input was refused. */
function optionValue(options: Options, long: string): string | readonly string[] | true | undefined {
  const name = long.slice(2).replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const values: Readonly<Record<string, string | readonly string[] | boolean | undefined>> = { ...options };
  if (/^no[A-Z]/.test(name)) {
    const positive = `${name.charAt(2).toLowerCase()}${name.slice(3)}`;
    return values[positive] === false ? true : undefined;
  }
  const value = values[name];
  return value === false ? undefined : value;
}
