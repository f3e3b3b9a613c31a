import type { Input } from './field.ts';
import type { Operation } from './operation.ts';
import { isQuotable, wordQuoter } from './values/text.ts';

/** A command to print. The printer adds the flags that select the service. */
export interface CommandLine {
  /** The command: `variant weight`. */
  readonly path: string;
  /** Arguments in order, unquoted. */
  readonly operands?: readonly string[];
  /** The program behind `--`, with its arguments. */
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
  /** The name of the stack in the input, else its UID. */
  readonly stackName: (uid: string) => string;
  /** The operating system whose shells read the line, as Node names it; the default is POSIX. */
  readonly platform?: string | undefined;
  /** A line for an agent has no flag that consents or shows secrets: a person adds those. */
  readonly forAgent?: boolean | undefined;
}

/**
 * The commands as one line to paste: `stackops variant weight va-canary 25 -s shop`. Undefined without commands, or
 * when one contains a character that breaks the line, such as a line feed, or that the shells read differently.
 */
export function commandText(
  lines: CommandLine | readonly CommandLine[],
  destination: Partial<Destination> = {},
): string | undefined {
  const all = [lines].flat().map((line) => commandWords(line, destination));
  const { platform } = destination;
  const isPrintable = (word: string) => fitsLine(word) && isQuotable(word, platform);
  if (all.length === 0 || !all.flat().every(isPrintable)) return undefined;
  const quoted = wordQuoter(platform);
  return all.map((words) => ['stackops', ...words.map(quoted)].join(' ')).join(' && ');
}

/** True when a line can show the word unchanged. */
export function fitsLine(word: string): boolean {
  // Most words are ASCII; compiling Unicode classes takes half a millisecond.
  return /^[\x20-\x7e]*$/.test(word) || !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(word);
}

export function hintText(hint: Hint, destination?: Partial<Destination>): string | undefined {
  return typeof hint === 'string' ? hint : commandText(hint, destination);
}

/** The words after `stackops`. */
export function commandWords(
  line: CommandLine,
  { flags = [], account, stackName = (uid) => uid, forAgent }: Partial<Destination> = {},
): readonly string[] {
  const { path, operands = [], program = [], stack_id, server_group_id, account_id = account } = line;
  const own = forAgent ? withoutConsent(line.flags ?? []) : (line.flags ?? []);
  const target = [
    ...(stack_id === undefined ? [] : flagWords('-s', stackName(stack_id))),
    ...(server_group_id === undefined ? [] : ['-g', String(server_group_id)]),
    ...(account_id === undefined || flags.includes('-a') ? [] : ['-a', String(account_id)]),
  ];
  const words = path === '' ? [] : path.split(' ');
  // After `--` an argument may look like a flag.
  return operands.some((operand) => operand.startsWith('-') && operand !== '-')
    ? [...words, ...own, ...target, ...flags, '--', ...operands]
    : [...words, ...operands, ...own, ...target, ...flags, ...(program.length > 0 ? ['--', ...program] : [])];
}

export function withoutConsent(flags: readonly string[]): readonly string[] {
  return flags.filter(
    (word, at) => flags[at - 1] !== '--confirm' && !/^(-y|--yes|--reveal|--confirm(=.*)?)$/s.test(word),
  );
}

/** A flag with its value; a value that looks like a flag is joined: `--name=-x`. */
export function flagWords(flag: string, value: string): readonly string[] {
  if (!value.startsWith('-') || value === '-') return [flag, value];
  return [flag.startsWith('--') ? `${flag}=${value}` : `${flag}${value}`];
}

/** The command that shows whether a write took effect: `variant list` in its stack. */
export function checkCommand({ check, lister }: Operation, input: Input): CommandLine | undefined {
  return filledCommand(check ?? lister, input);
}

const targetFlags: Readonly<Record<string, 'stack_id' | 'server_group_id' | 'account_id'>> = {
  '-s': 'stack_id',
  '-g': 'server_group_id',
  '-a': 'account_id',
};

/** Fills `deployment {deployment_id}` from the input of the operation. */
export function fillTemplate(template: string, input: Input): string {
  return template.replace(/\{([a-z_]+)\}/g, (_, name: string) => String(input[name]));
}

/** Reads `variant list -s {stack_id}` as a command and fills it from the input. */
export function filledCommand(template: string | undefined, input: Input): CommandLine | undefined {
  if (template === undefined) return undefined;
  const words = template.split(' ');
  const fill = (word: string) => fillTemplate(word, input);
  const targets = words.flatMap((word, at) => {
    const target = targetFlags[word];
    return target ? [[target, fill(words[at + 1] ?? '')] as const] : [];
  });
  const plain = words.slice(0, words.length - targets.length * 2);
  const isOperand = (word: string) => word.includes('{') || word.includes('/');
  const operands = plain.filter(isOperand).map(fill);
  return {
    path: plain.filter((word) => !isOperand(word)).join(' '),
    ...(operands.length > 0 && { operands }),
    ...Object.fromEntries(targets),
  };
}
