import type { Command } from '../../contract/command.ts';
import { type Field, flag, integer, many, text } from '../../contract/field.ts';
import { readValue } from '../../fields/read-value.ts';
import { maxDurationMs, type SettingName, settingTable } from '../../settings/table.ts';
import { type Flag, flagsOfField } from './arguments.ts';

type OptionGroup = 'target' | 'list' | 'secret' | 'output' | 'write' | 'wait' | 'several' | 'connection' | 'process';

/** An option that every command accepts, before or after its arguments (cli.md sections 2, 4, 5, 6). */
export interface GlobalOption extends Flag {
  readonly name: OptionName;
  readonly group: OptionGroup;
}

const inGroup = <Fields extends Readonly<Record<string, Field>>>(group: OptionGroup, fields: Fields) =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, { group, field }])) as {
    readonly [Name in keyof Fields]: { readonly group: OptionGroup; readonly field: Fields[Name] };
  };
function setting<V extends string | boolean>(name: SettingName, about: string, more: Partial<Field> = {}): Field<V> {
  // `about` is the help of the option, which differs from that of the setting.
  return { ...settingTable[name], preset: undefined, ...more, about };
}

const duration = (about: string, leastMs: number, preset: number) => ({
  ...integer(about, { unit: 'ms', bareUnit: 's', range: [leastMs, maxDurationMs] }),
  preset,
});

const declaredOptions = {
  ...inGroup('target', {
    stack: setting<string>('stack', 'Stack to act on.', { short: 's', placeholder: 'uid or name', commas: true }),
    server_group: setting<string>('server_group', 'Server group to act on.', { short: 'g', placeholder: 'id or name' }),
    account: setting<string>('account', 'Account to act on; sent as X-Account.', { short: 'a', placeholder: 'id' }),
  }),
  ...inGroup('output', {
    json: flag('Print one JSON document.'),
    fields: text('Fields to show, with commas; dotted below groups.', {
      placeholder: 'names',
      nameKind: 'field',
      commas: true,
    }),
    jq: text('Filter the JSON with jq; strings are printed raw.', { placeholder: 'expression' }),
    output: setting<string>('output', 'Print as table, tsv, csv, md, json, yaml or ndjson.', { placeholder: 'format' }),
  }),
  ...inGroup('list', {
    columns: text('Another spelling of --fields.', { placeholder: 'names', nameKind: 'column', commas: true }),
    header: flag('Print the heading when piped, too.'),
    no_header: flag('Print no heading.'),
    no_trunc: flag('Cut no cell of a table.'),
    where: many(text('Condition.', { nameKind: 'column', assigns: [] }), 'Keep matching rows; also !=, ~, < and >.', {
      placeholder: 'field=value',
      noSplit: true,
    }),
    sort: text('Sort by a field; `-` in front: descending.', { placeholder: 'field', nameKind: 'sort column' }),
    limit: integer('Stop after this many rows.', { range: [1, Number.MAX_SAFE_INTEGER] }),
  }),
  ...inGroup('secret', { reveal: flag('Show secrets instead of ***.', { effects: ['prints_secret'] }) }),
  ...inGroup('output', { quiet: flag('Print only IDs for lists and nothing for changes.', { short: 'q' }) }),
  ...inGroup('write', {
    dry_run: flag('Check and print the request; send nothing.', { short: 'n' }),
    curl: flag('Like --dry-run, as a curl command.'),
    yes: flag('Assume yes.', { short: 'y' }),
    confirm: many(text('Name.'), "Confirm a destructive change by typing the resource's name.", {
      placeholder: 'name',
      noSplit: true,
    }),
  }),
  ...inGroup('wait', {
    wait: flag('Wait for the operation to finish; exit with its result.', { short: 'w' }),
    wait_timeout: duration('Stop waiting after this time (default 30m).', 1, 1_800_000),
    poll: duration('Time between checks (default 5s, at least 1s).', 1000, 5000),
    notify: flag('Tell when a wait of more than 10s is over.', { effects: ['runs_program'] }),
  }),
  ...inGroup('several', { keep_going: flag('Continue after a change fails.') }),
  ...inGroup('connection', {
    profile: setting<string>('profile', 'Profile to use.', { short: 'p', placeholder: 'name' }),
    base_url: setting<string>('base_url', 'Address of the service, ending with its version.', { placeholder: 'url' }),
    sandbox: setting<boolean>('sandbox', 'Use the embedded sandbox: no account, no network.'),
    readonly: setting<boolean>('readonly', 'Refuse every change at the service.', { label: 'read-only' }),
    timeout: setting<string>('timeout', 'Time limit of a request, retries included (default 120s).'),
  }),
  ...inGroup('process', {
    verbose: flag('Trace requests on stderr.', { short: 'v' }),
    color: setting<string>('color', 'When to use colour: always, never or auto.', { placeholder: 'when' }),
    no_input: flag('Never ask questions.'),
  }),
};
type DeclaredOptions = typeof declaredOptions;
export type OptionName = keyof DeclaredOptions;

export const globalOptions: readonly GlobalOption[] = (Object.keys(declaredOptions) as OptionName[]).flatMap((name) => {
  const { group, field } = declaredOptions[name];
  return flagsOfField(name, field).map((one) => ({ ...one, name, group }));
});

export const helpAndVersion: readonly Flag[] = [
  ...flagsOfField('help', flag('Show help.', { short: 'h' })),
  ...flagsOfField('version', flag('Show the version.', { short: 'V' })),
];

/** The global options of a command line, by name. Their values are as typed, not checked yet. */
export type Options = {
  readonly [Name in OptionName]?: DeclaredOptions[Name]['field'] extends Field<infer V>
    ? TypedValue<V> | undefined
    : never;
};
type TypedValue<V> = V extends boolean ? boolean : V extends readonly unknown[] ? readonly string[] : string;

const spellingsWithValue = new Set(
  globalOptions.filter(({ takes }) => takes === 'value').flatMap(({ spellings }) => spellings),
);

/** A command as it was typed. Its arguments and flags are not checked yet. */
export interface TypedCommand {
  readonly kind: 'run';
  /** All words after `stackops`. */
  readonly argv: readonly string[];
  readonly path: string;
  readonly command: Command;
  /** The arguments, followed by the words after `--`. */
  readonly words: readonly string[];
  /** The flags of the command, by their long spelling. Their values are as typed. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly options: Options;
}

export type Invocation = { readonly kind: 'text'; readonly text: string } | TypedCommand;

export function wordsBeforeDashes(words: readonly string[]): readonly string[] {
  const dashesAt = words.indexOf('--');
  return dashesAt < 0 ? words : words.slice(0, dashesAt);
}

export function countWordsAfterDashes(words: readonly string[]): number {
  return Math.max(0, words.length - wordsBeforeDashes(words).length - 1);
}

/** Returns the first word that is neither an option nor an option's value: the top-level command. */
export function firstWord(words: readonly string[]): string | undefined {
  const [at = -1] = plainWordPositions(words);
  return words[at];
}

/** Returns the positions of the words before `--` that are neither options nor values of global options. */
export function plainWordPositions(words: readonly string[]): readonly number[] {
  const positions: number[] = [];
  for (let index = 0; index < words.length && words[index] !== '--'; index++) {
    const word = words[index] ?? '';
    if (!word.startsWith('-')) positions.push(index);
    else if (takesNextWord(word)) index++;
  }
  return positions;
}

/** True if the next word is the value of this word, as after `-s`, `--stack` and `-ns`. In `-sn` the value is `n`. */
function takesNextWord(word: string): boolean {
  if (word.startsWith('--')) return spellingsWithValue.has(word);
  const at = [...word].findIndex((letter) => spellingsWithValue.has(`-${letter}`));
  return at > 0 && at === word.length - 1;
}

export function hasStackFlag(words: readonly string[]): boolean {
  return words.some((word) => /^(-s|--stack(=|$))/.test(word));
}

/** True for a flag that chooses where a command acts. A hint never changes such a flag. */
export function isTargetFlag(flag: string): boolean {
  return globalOptions.some(
    ({ group, spellings }) => (group === 'target' || group === 'connection') && spellings.includes(flag),
  );
}

/** Returns the number that an option has, or its default. Throws `usage` for an invalid value. */
export function numberOption(name: 'limit' | 'wait_timeout' | 'poll', options: Options): number | undefined {
  const field: Field<number> = declaredOptions[name].field;
  const text = options[name];
  return text === undefined ? field.preset : (readValue(String(text), field, longFlagOf(name)) as number);
}

export function longFlagOf(name: OptionName): string {
  return globalOptions.find((option) => option.name === name)?.long ?? '';
}
