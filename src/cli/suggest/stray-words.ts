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

/** The error for too many arguments, with the probable command. Without `findStack` nothing is looked up. */
export async function extraWordError(
  [extra = '']: readonly string[],
  line: TypedCommand,
  findStack?: FindStack,
): Promise<CliError> {
  const { command, options, path } = line;
  // With other arguments it is unclear which one is the stack.
  const isAlone = options.stack === undefined && line.words.length === 1 && argumentsOf(command).length === 0;
  const field = isAlone && Object.values<Field>(command.params).find(({ target }) => target === 'stack');
  const isStack = field && extra !== 'help' && (await namesStack(field, line, findStack));
  const takesStack = isStack && path !== 'deployment promote';
  const correction =
    (await twoStacks(line, findStack)) ??
    besideFlag(extra, line) ??
    (takesStack ? replaceWord(extra, ['-s', extra]) : withFlag(extra, line, findStack !== undefined));
  const text = takesStack ? ` (did you mean -s ${shellWord(extra)}?)` : '';
  const hint = path === 'restart' ? wholeStack : { path, flags: ['--help'] };
  return new CliError('usage', `unexpected argument "${extra}"${text}`, { hint, correction });
}

const wholeStack = 'all processes restart, in a new deployment: stackops restart';

/** The flag that takes an extra word that names no stack, by command. */
const extraFlags: Readonly<Record<string, string>> = {
  redeploy: '--git-ref',
  'deployment create': '--git-ref',
  'deployment promote': '--from',
  'reference clouds': '--cloud',
};

/** Names of branches and versions, which hardly any stack has. */
const version = /^(main|master|develop|trunk|HEAD|v?\d+\.[\w.]+|(?=.*[a-f])[\da-f]{7,40})$/;

/** Lists of resources without a `get`: the field that holds the name. */
const nameFields: Readonly<Record<string, string>> = {
  'db list': 'name',
  'db user list': 'username',
  'gateway list': 'name',
  'variant list': 'variant_type',
};

async function namesStack(field: Field, line: TypedCommand, findStack?: FindStack): Promise<boolean> {
  const [word = ''] = line.words;
  // Without a lookup the word is taken for a stack only in a read, and only if it fits no flag.
  if (!findStack) return !commandWrites(line.command) && !withFlag(word, line, true);
  return isFound(field, word, findStack);
}

function isFound(field: Field, word: string, findStack: FindStack): Promise<boolean> {
  return findStack(field, word).then(
    () => true,
    () => false,
  );
}

/** `A B` for a read of the stack A with a flag for a stack B. Without a lookup both words are taken for stacks. */
async function twoStacks(line: TypedCommand, findStack?: FindStack): Promise<Correction | undefined> {
  const { command, options, words } = line;
  const [one = '', other = '', ...more] = words;
  const field = Object.values<Field>(command.params).find(({ target }) => target === 'stack');
  const flag = flagsOf(command).find(({ field: { names } }) => names === 'stack');
  if (!field || !flag || more.length > 0 || other === '' || options.stack !== undefined || commandWrites(command))
    return undefined;
  const found = findStack ? await Promise.all([one, other].map((word) => isFound(field, word, findStack))) : [];
  if (found.includes(false)) return undefined;
  return {
    replace: [
      { word: one, by: ['-s', one] },
      { word: other, by: [flag.long, other] },
    ],
  };
}

/** `-n 5` of other tools limits a list; `--wait 10m` is a limit of time. */
function besideFlag(extra: string, { command, options }: TypedCommand): Correction | undefined {
  if (/^-\d+$/.test(extra) && !commandWrites(command)) return replaceWord(extra, ['--limit', extra.slice(1)]);
  if (options.wait && durationMs(extra) !== undefined) return replaceWord(extra, ['--wait-timeout', extra]);
  if (!options.dry_run || !/^\d+$/.test(extra) || commandWrites(command)) return undefined;
  return {
    replace: [
      { word: '--dry-run', by: [] },
      { word: extra, by: ['--limit', extra] },
    ],
  };
}

function withFlag(extra: string, { command, path, words }: TypedCommand, isNoStack: boolean): Correction | undefined {
  const flag = /^(help|list|show|get|status|cancel|logs)$/.test(extra) ? undefined : extraFlags[path];
  const mayBeStack = flag === '--git-ref' && !isNoStack && !version.test(extra);
  if (flag) return mayBeStack || /^\d+$/.test(extra) ? undefined : replaceWord(extra, [flag, extra]);
  if (extra === 'help' || commandWrites(command)) return undefined;
  if (extra === 'list' || extra === 'show') return replaceWord(extra, []);
  const name = nameFields[path];
  if (name) return replaceWord(extra, ['--where', `${name}=${extra}`]);
  if (path === 'stack env get' && !words.some((word) => word.startsWith('-'))) return { path: 'stack env export' };
  return path.endsWith(' list') && words.length === 1 ? { path: path.replace(/list$/, 'get') } : undefined;
}

function replaceWord(word: string, by: readonly string[]): Correction {
  return { replace: { word, by } };
}

/** `NAME` or `NAME VALUE` in place of `NAME=VALUE`; the value may be a secret, and is not repeated. */
export function withoutEqualsError([typed = '', value]: readonly string[], { command, path }: TypedCommand): CliError {
  const { label = '' } = (command.params[command.positionals.at(-1) ?? ''] ?? {}) as Field;
  const [, form = 'VALUE'] = /=(\w+)/.exec(label) ?? [];
  // A count is also written as `worker:3` and `worker+1`.
  const [count] = (form === 'N' && /(?!^)[+-]?\d{1,4}$/.exec(typed)) || [];
  const name = (count === undefined ? typed : typed.slice(0, -count.length)).replace(/:$/, '');
  const given = count ?? value;
  const replace = [
    { word: typed, by: [`${name}=${given}`] },
    ...(value === undefined || count !== undefined ? [] : [{ word: value, by: [] }]),
  ];
  const isElsewhere = path === 'config set' && isSettingName(name) && settingTable[name].stored === 'profile';
  const pair = { replace, ...(isElsewhere && { path: 'profile set' }) };
  const stdin = command.params['stdin'] ? { add: ['--stdin'] } : undefined;
  return new CliError('usage', `"${name}" has no "=": write ${name}=${form}`, {
    correction: given === undefined ? stdin : pair,
  });
}
