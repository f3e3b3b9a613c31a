import type { Input } from './field.ts';
import type { Operation } from './operation.ts';
import { isQuotable, wordQuoter } from './values/text.ts';

/** A command to print. The printer adds the flags that select the service. */
export interface CommandLine {
  /** The command: `variant weight`. */
  readonly path: string;
  /** Arguments in order, unquoted. */
  readonly operands?: readonly string[];
  /** The program after `--`, with its arguments. */
  readonly program?: readonly string[];
  /** Flags with their values: `['--add', 'eu,web']`. */
  readonly flags?: readonly string[];
  readonly stack_id?: string;
  readonly server_group_id?: string | number;
  readonly account_id?: string | number;
}

/** A hint: a sentence, a command, or several commands to run in order. */
export type Hint = string | CommandLine | readonly CommandLine[];

/** The service and account that printed commands act on. */
export interface Destination {
  /** Flags that select the service when the default is another: `['--base-url', 'https://…']`. */
  readonly flags: readonly string[];
  /** The account of commands without their own `account_id`. */
  readonly account?: string | undefined;
  /** Returns the name of a stack as it was typed, else its UID. */
  readonly stackName: (uid: string) => string;
  /** The operating system whose shells read the printed line, as Node spells it: `win32`. The default is POSIX. */
  readonly platform?: string | undefined;
  /** True if an agent reads the line. A flag that consents or shows secrets is left out: a person must add it. */
  readonly forAgent?: boolean | undefined;
}

/** Returns the commands as one line to paste; undefined without commands, or if shells would misread a word. */
export function commandText(
  commandLines: CommandLine | readonly CommandLine[],
  destination: Partial<Destination> = {},
): string | undefined {
  const commands = [commandLines].flat().map((line) => commandWords(line, destination));
  const { platform } = destination;
  const isPrintable = (word: string) => hasNoControlCharacters(word) && isQuotable(word, platform);
  if (commands.length === 0 || !commands.flat().every(isPrintable)) return undefined;
  const quote = wordQuoter(platform);
  return commands.map((words) => ['stackops', ...words.map(quote)].join(' ')).join(' && ');
}

/** True when a line can show the word unchanged. */
export function hasNoControlCharacters(word: string): boolean {
  // Most words are ASCII. They do not need the Unicode classes, which take half a millisecond to compile.
  return /^[\x20-\x7e]*$/.test(word) || !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(word);
}

export function hintText(hint: Hint, destination?: Partial<Destination>): string | undefined {
  return typeof hint === 'string' ? hint : commandText(hint, destination);
}

/** Returns the words of the command line after `stackops`. */
export function commandWords(
  line: CommandLine,
  { flags = [], account, stackName = (uid) => uid, forAgent }: Partial<Destination> = {},
): readonly string[] {
  const { path, operands = [], program = [], stack_id, server_group_id, account_id = account } = line;
  const ownFlags = forAgent ? withoutConsentFlags(line.flags ?? []) : (line.flags ?? []);
  const targetWords = [
    ...(stack_id === undefined ? [] : flagWords('-s', stackName(stack_id))),
    ...(server_group_id === undefined ? [] : ['-g', String(server_group_id)]),
    ...(account_id === undefined || flags.includes('-a') ? [] : ['-a', String(account_id)]),
  ];
  const words = path === '' ? [] : path.split(' ');
  // An argument that looks like a flag must follow `--`.
  return operands.some((operand) => operand.startsWith('-') && operand !== '-')
    ? [...words, ...ownFlags, ...targetWords, ...flags, '--', ...operands]
    : [...words, ...operands, ...ownFlags, ...targetWords, ...flags, ...(program.length > 0 ? ['--', ...program] : [])];
}

export function withoutConsentFlags(flags: readonly string[]): readonly string[] {
  return flags.filter(
    (word, at) => flags[at - 1] !== '--confirm' && !/^(-y|--yes|--reveal|--confirm(=.*)?)$/s.test(word),
  );
}

/** Returns the words of a flag with its value. A value that looks like a flag is joined to the flag: `--name=-x`. */
export function flagWords(flag: string, value: string): readonly string[] {
  if (!value.startsWith('-') || value === '-') return [flag, value];
  return [flag.startsWith('--') ? `${flag}=${value}` : `${flag}${value}`];
}

/** Returns the command that shows whether a write took effect: `variant list -s shop`; undefined without one. */
export function outcomeCheckCommand({ check, listCommand }: Operation, input: Input): CommandLine | undefined {
  return fillCommand(check ?? listCommand, input);
}

type Targets = Pick<CommandLine, 'stack_id' | 'server_group_id' | 'account_id'>;

/** Returns the targets of the input, for a printed command that acts on the same stack, server group and account. */
export function targetsOfInput(input: Input): Targets {
  const names = ['stack_id', 'server_group_id', 'account_id'].filter((name) => input[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, input[name]]));
}

/** Replaces each `{name}` by the value in the input: `deployment {deployment_id}` becomes `deployment 1042`. */
export function fillTemplate(template: string, input: Input): string {
  return template.replace(/\{([a-z_]+)\}/g, (_, name: string) => String(input[name]));
}

/**
 * Fills a template such as `deployment get {id}` with values of the input. The command gets all targets of the input,
 * or only the stack if the template has `-s {stack_id}`.
 */
export function fillCommand(template: string | undefined, input: Input): CommandLine | undefined {
  if (template === undefined) return undefined;
  const [command = '', stack] = template.split(' -s ');
  const words = command.split(' ');
  const isOperand = (word: string) => /[{/]/.test(word);
  const operands = words.filter(isOperand).map((word) => fillTemplate(word, input));
  return {
    path: words.filter((word) => !isOperand(word)).join(' '),
    ...(operands.length > 0 && { operands }),
    ...(stack === undefined ? targetsOfInput(input) : { stack_id: fillTemplate(stack, input) }),
  };
}
