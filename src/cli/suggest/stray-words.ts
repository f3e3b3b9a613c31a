import { commandWrites } from '../../contract/command.ts';
import type { Field } from '../../contract/field.ts';
import { shellWord } from '../../contract/values/text.ts';
import { durationMs } from '../../contract/values/time.ts';
import { CliError, type Correction } from '../../errors/cli-error.ts';
import { isSettingName, settingTable } from '../../settings/table.ts';
import { argumentsOf, flagsOf } from '../arguments/arguments.ts';
import type { TypedCommand } from '../arguments/options.ts';

/** Finds the stack with this name; rejects for an unknown name. */
type FindStack = (field: Field, word: string) => Promise<unknown>;

/** Returns the error for an extra word, with the probable command. Without `findStack` nothing is looked up. */
export async function extraWordError(word: string, line: TypedCommand, findStack?: FindStack): Promise<CliError> {
  const { command, options, path } = line;
  // If the command takes arguments, or has several extra words, it is unclear which word is a stack.
  const isOnlyWord = options.stack === undefined && line.words.length === 1 && argumentsOf(command).length === 0;
  const field = isOnlyWord && Object.values<Field>(command.params).find(({ target }) => target === 'stack');
  const isStack = field && word !== 'help' && (await namesStack(field, line, findStack));
  const takesStack = isStack && path !== 'deployment promote';
  const correction =
    (await twoStacksCorrection(line, findStack)) ??
    flagValueCorrection(word, line) ??
    (takesStack ? wordCorrection(word, ['-s', word]) : extraFlagCorrection(word, line, findStack !== undefined));
  const question = takesStack ? ` (did you mean -s ${shellWord(word)}?)` : '';
  const hint = path === 'restart' ? restartHint : { path, flags: ['--help'] };
  return new CliError('usage', `unexpected argument "${word}"${question}`, { hint, correction });
}

const restartHint = 'all processes restart, in a new deployment: stackops restart';

/** By command: the flag to suggest for an extra word that is not a stack name. */
const flagForExtraWord: Readonly<Record<string, string>> = {
  redeploy: '--git-ref',
  'deployment create': '--git-ref',
  'deployment promote': '--from',
  'reference clouds': '--cloud',
};

/** Matches names of branches and versions. Hardly any stack has such a name. */
const versionPattern = /^(main|master|develop|trunk|HEAD|v?\d+\.[\w.]+|(?=.*[a-f])[\da-f]{7,40})$/;

/** By command: the field that holds the name of a resource, for lists of resources without a `get` command. */
const nameFields: Readonly<Record<string, string>> = {
  'db list': 'name',
  'db user list': 'username',
  'gateway list': 'name',
  'variant list': 'variant_type',
};

async function namesStack(field: Field, line: TypedCommand, findStack?: FindStack): Promise<boolean> {
  const [word = ''] = line.words;
  // Without a lookup the word is taken for a stack only in a read, and only if it fits no flag.
  if (!findStack) return !commandWrites(line.command) && !extraFlagCorrection(word, line, true);
  return stackExists(field, word, findStack);
}

function stackExists(field: Field, word: string, findStack: FindStack): Promise<boolean> {
  return findStack(field, word)
    .then(() => true)
    .catch(() => false);
}

async function twoStacksCorrection(line: TypedCommand, findStack?: FindStack): Promise<Correction | undefined> {
  const { command, options, words } = line;
  const [stack = '', otherStack = '', ...more] = words;
  const field = Object.values<Field>(command.params).find(({ target }) => target === 'stack');
  const flag = flagsOf(command).find(({ field: { nameKind } }) => nameKind === 'stack');
  if (!field || !flag || more.length > 0 || otherStack === '' || options.stack !== undefined || commandWrites(command))
    return undefined;
  const areFound = findStack ? await Promise.all(words.map((word) => stackExists(field, word, findStack))) : [];
  if (areFound.includes(false)) return undefined;
  return {
    replace: [
      { word: stack, by: ['-s', stack] },
      { word: otherStack, by: [flag.long, otherStack] },
    ],
  };
}

/** Returns the correction of a word that was meant as a flag's value: `-n 5` of other tools, or `--wait 10m`. */
function flagValueCorrection(word: string, { command, options }: TypedCommand): Correction | undefined {
  if (/^-\d+$/.test(word) && !commandWrites(command)) return wordCorrection(word, ['--limit', word.slice(1)]);
  if (options.wait && durationMs(word) !== undefined) return wordCorrection(word, ['--wait-timeout', word]);
  if (!options.dry_run || !/^\d+$/.test(word) || commandWrites(command)) return undefined;
  return {
    replace: [
      { word: '--dry-run', by: [] },
      { word, by: ['--limit', word] },
    ],
  };
}

function extraFlagCorrection(word: string, line: TypedCommand, isNoStack: boolean): Correction | undefined {
  const { command, path, words } = line;
  const flag = /^(help|list|show|get|status|cancel|logs)$/.test(word) ? undefined : flagForExtraWord[path];
  const mayBeStack = flag === '--git-ref' && !isNoStack && !versionPattern.test(word);
  if (flag) return mayBeStack || /^\d+$/.test(word) ? undefined : wordCorrection(word, [flag, word]);
  if (word === 'help' || commandWrites(command)) return undefined;
  if (word === 'list' || word === 'show') return wordCorrection(word, []);
  const nameField = nameFields[path];
  if (nameField) return wordCorrection(word, ['--where', `${nameField}=${word}`]);
  if (path === 'stack env get' && !words.some((other) => other.startsWith('-'))) return { path: 'stack env export' };
  return path.endsWith(' list') && words.length === 1 ? { path: path.replace(/list$/, 'get') } : undefined;
}

function wordCorrection(word: string, by: readonly string[]): Correction {
  return { replace: { word, by } };
}

/** Returns the error for `NAME` or `NAME VALUE` instead of `NAME=VALUE`. It omits the value, which may be a secret. */
export function withoutEqualsError([typed = '', value]: readonly string[], { command, path }: TypedCommand): CliError {
  const { label = '' } = (command.params[command.positionals.at(-1) ?? ''] ?? {}) as Field;
  const [, valueLabel = 'VALUE'] = /=(\w+)/.exec(label) ?? [];
  // A count is also written as `worker:3` and `worker+1`.
  const [digits] = (valueLabel === 'N' && /(?!^)[+-]?\d{1,4}$/.exec(typed)) || [];
  const name = (digits === undefined ? typed : typed.slice(0, -digits.length)).replace(/:$/, '');
  const typedValue = digits ?? value;
  const replace = [
    { word: typed, by: [`${name}=${typedValue}`] },
    ...(value === undefined || digits !== undefined ? [] : [{ word: value, by: [] }]),
  ];
  const isProfileSetting = path === 'config set' && isSettingName(name) && settingTable[name].stored === 'profile';
  const pairCorrection = { replace, ...(isProfileSetting && { path: 'profile set' }) };
  const stdinCorrection = command.params['stdin'] ? { add: ['--stdin'] } : undefined;
  return new CliError('usage', `"${name}" has no "=": write ${name}=${valueLabel}`, {
    correction: typedValue === undefined ? stdinCorrection : pairCorrection,
  });
}
