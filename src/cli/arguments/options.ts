import type { Command } from '../../contract/command.ts';

/** An option that every command knows, before or after its words (cli.md sections 2, 4, 5, 6). */
export interface GlobalOption<Flags extends string = string> {
  readonly flags: Flags;
  readonly about: string;
  readonly isRepeatable?: true;
  /** Where help lists it: on every page in brief, or only where it can matter. */
  readonly where: 'place' | 'list' | 'secret' | 'output' | 'write' | 'wait' | 'several' | 'connection' | 'process';
}

const option = <const Flags extends string>(
  where: GlobalOption['where'],
  flags: Flags,
  about: string,
): GlobalOption<Flags> => ({ where, flags, about });

const declared = [
  option('place', '-s, --stack <uid or name>', 'Stack to act on.'),
  option('place', '-g, --server-group <id or name>', 'Server group to act on.'),
  option('place', '-a, --account <id>', 'Account to act on; sent as X-Account.'),
  option('output', '--json', 'Print one JSON document.'),
  option('output', '--fields <names>', 'Fields to show, with commas; dotted below groups.'),
  option('output', '--jq <expression>', 'Filter the JSON with jq; strings are printed raw.'),
  option('output', '--output <format>', 'Print as table, tsv, csv, json, yaml or ndjson.'),
  option('list', '--columns <names>', 'Another spelling of --fields.'),
  option('list', '--header', 'Print the heading when piped, too.'),
  option('list', '--no-header', 'Print no heading.'),
  {
    ...option('list', '--where <field=value>', 'Keep matching rows; also !=, ~, < and >.'),
    isRepeatable: true as const,
  },
  option('list', '--sort <field>', 'Sort by a field; `-` in front: descending.'),
  option('list', '--limit <n>', 'Stop after this many rows.'),
  option('secret', '--reveal', 'Show secrets instead of ***.'),
  option('output', '-q, --quiet', 'Print only IDs for lists and nothing for changes.'),
  option('write', '-n, --dry-run', 'Check and print the request; send nothing.'),
  option('write', '--curl', 'Like --dry-run, as a curl command.'),
  option('write', '-y, --yes', 'Assume yes.'),
  option('write', '--confirm <name>', "Confirm a destructive change by typing the resource's name."),
  option('wait', '-w, --wait', 'Wait for the operation to finish; exit with its result.'),
  option('wait', '--wait-timeout <duration>', 'Stop waiting after this time (default 30m).'),
  option('wait', '--poll <duration>', 'Time between checks (default 5s, at least 1s).'),
  option('wait', '--notify', 'Tell when a wait of more than 10s is over.'),
  option('several', '--keep-going', 'Continue after a change fails.'),
  option('connection', '-p, --profile <name>', 'Profile to use.'),
  option('connection', '--base-url <url>', 'Address of the service, ending with its version.'),
  option('connection', '--sandbox', 'Use the embedded sandbox: no account, no network.'),
  option('connection', '--read-only', 'Refuse every change at the service.'),
  option('connection', '--timeout <duration>', 'Time limit of a request, retries included (default 120s).'),
  option('process', '-v, --verbose', 'Trace requests on stderr.'),
  option('process', '--color <when>', 'When to use colour: always, never or auto.'),
  option('process', '--no-input', 'Never ask questions.'),
];
export const globalOptions: readonly GlobalOption[] = declared;

/** `--server-group <id or name>` is `serverGroup` to Commander, and `--no-input` is `input`. */
type NameOf<Flags> = Flags extends `${infer Spelled} <${string}`
  ? NameOf<Spelled>
  : Flags extends `${string}--no-${infer Long}`
    ? CamelCase<Long>
    : Flags extends `${string}--${infer Long}`
      ? CamelCase<Long>
      : never;
type CamelCase<Words> = Words extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Words & string;

type Given = (typeof declared)[number];
type Word<Flags> = Flags extends `${string} <${string}` ? string : boolean;
/** What those options were set to; absent means not given. Values are still words. */
export type Options = {
  readonly [One in Given as NameOf<One['flags']>]?: One extends { isRepeatable: true }
    ? readonly string[]
    : Word<One['flags']>;
};

/** A command as it was typed: read, but with its words and flags still unchecked. */
export interface TypedCommand {
  readonly kind: 'run';
  /** All that was typed after `stackops`. */
  readonly argv: readonly string[];
  readonly path: string;
  readonly command: Command;
  /** Words after its name, then those after `--`. */
  readonly words: readonly string[];
  /** What Commander collected for the command's own flags, by its attribute names. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly options: Options;
}

export type Invocation = { readonly kind: 'text'; readonly text: string } | TypedCommand;

const valued = new Set(
  globalOptions.filter(({ flags }) => flags.includes('<')).flatMap(({ flags }) => spellings(flags)),
);

export const answeredOptions = [
  { flags: '-h, --help', about: 'Show help.' },
  { flags: '-V, --version', about: 'Show the version.' },
] as const;

/** The words in front of `--`, which alone may be flags of ours. */
export function beforeDashes(words: readonly string[]): readonly string[] {
  const cut = words.indexOf('--');
  return cut < 0 ? words : words.slice(0, cut);
}

export function wordsBehindDashes(words: readonly string[]): number {
  return Math.max(0, words.length - beforeDashes(words).length - 1);
}

/** The first word that is neither an option nor an option's value: the noun. */
export function firstWord(words: readonly string[]): string | undefined {
  const [at] = plainWords(words);
  return at === undefined ? undefined : words[at];
}

/** Where the words stand, up to `--`, that are neither options nor values of options every command knows. */
export function plainWords(words: readonly string[]): readonly number[] {
  const found: number[] = [];
  for (let index = 0; index < words.length && words[index] !== '--'; index++) {
    const word = words[index] ?? '';
    if (!word.startsWith('-')) found.push(index);
    else if (valued.has(word)) index++;
  }
  return found;
}

export function givesStack(words: readonly string[]): boolean {
  return words.some((word) => /^(-s|--stack(=|$))/.test(word));
}

/** `-s, --stack <uid>` is spelled `-s` and `--stack`. */
export function spellings(flags: string): readonly string[] {
  return flags.split(/[ ,]+/).filter((part) => part.startsWith('-'));
}

/** `-s, --stack <uid or name>` is `--stack`. */
export function longSpelling({ flags }: { readonly flags: string }): string {
  return spellings(flags).at(-1) ?? flags;
}

/** What Commander collected for a flag; true for a switch that is off. */
export function givenValue(long: string, collected: Readonly<Record<string, unknown>>): unknown {
  const isNegated = long.startsWith('--no-');
  // Commander's own spelling of an attribute: `user-reference` is `userReference`.
  const name = long.slice(isNegated ? 5 : 2).replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  if (!isNegated) return collected[name];
  return collected[name] === false ? true : undefined;
}

/** True for a flag that chooses where a command acts. No hint may change that. */
export function isTarget(flag: string): boolean {
  return globalOptions.some(
    ({ where, flags }) => (where === 'place' || where === 'connection') && spellings(flags).includes(flag),
  );
}
