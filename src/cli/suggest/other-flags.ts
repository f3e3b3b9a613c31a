import type { Command } from '../../contract/command.ts';
import { filterRecordType } from '../../contract/metadata.ts';
import { flagsOf } from '../arguments/arguments.ts';
import { globalOptions, hasStackFlag, plainWordPositions } from '../arguments/options.ts';
import { createDictionary, replaceFirstWords } from './dictionary.ts';
import { suggestField, wordCondition } from './field-names.ts';
import { text as flags } from './words/flags.txt';

const findOurFlags = createDictionary(flags);

interface TypedLine {
  readonly argv: readonly string[];
  readonly at: number;
  readonly path: readonly string[];
  readonly command: Command | undefined;
}

interface TypedValue {
  readonly value: string | undefined;
}

type LineAndValue = Pick<TypedLine, 'argv' | 'command'> & TypedValue;

/** Yields command lines with one of our flags in place of the word at `at`. The likeliest comes first. */
export function* suggestFlags({ argv, at, path, command }: TypedLine): Generator<readonly string[]> {
  const [, flag = '', joined] = /^(--[^=]+|-[^-])=?(.+)?$/s.exec(argv[at] ?? '') ?? [];
  const nextWord = argv[at + 1];
  const isNextCommand = plainWordPositions(argv)[0] === at + 1;
  const value = joined ?? (isNextCommand || nextWord?.startsWith('-') ? undefined : nextWord);
  const sortFieldAt = argv.indexOf('--sort') + 1;
  if (sortFieldAt > 0 && /^--(desc|descending|reverse)$/.test(flag)) {
    yield argv.with(sortFieldAt, `-${argv[sortFieldAt]}`).toSpliced(at, 1);
  }
  const ourFlags = findOurFlags(flag, `${path.join(' ')} ${flag}`);
  for (const phrase of [...ourFlags, ...suggestConditions(flag, value, command)]) {
    const takesValue = / ?(VALUE|DROPPED)/.test(phrase);
    if ((takesValue && value === undefined) || !mayInsert(phrase, { argv, command, value })) continue;
    const otherWords = argv.toSpliced(at, takesValue && joined === undefined ? 2 : 1);
    yield insertWords(phrase.replace(/ ?DROPPED/, ''), { otherWords, at, path, value });
  }
}

/** Returns conditions for a flag that is named like a field or like one of its values: `--region eu`, `--failed`. */
function suggestConditions(flag: string, value = '', command?: Command): readonly string[] {
  if (!command || !flag.startsWith('--')) return [];
  const { output } = command;
  const recordType =
    filterRecordType(output) ?? (output.kind === 'rows' ? (output.table ?? output.reply.record) : undefined);
  if (!recordType) return [];
  const name = flag.slice(2).replaceAll('-', '_');
  const fieldPath = suggestField(name, recordType);
  // A condition knows no patterns, so it looks for the first part of a pattern.
  const operator = value.includes('*') ? '~' : '=';
  const conditions = [fieldPath && `${fieldPath}${operator}VALUE`, wordCondition(name, recordType)];
  return conditions.flatMap((condition) => (condition ? [`--where ${condition}`] : []));
}

/** False for a second stack, for consent to a command without a question, and for flags that the command lacks. */
function mayInsert(phrase: string, { argv, command, value = '' }: LineAndValue): boolean {
  // A value that does not look like a path may be the key itself, which must not be shown.
  if (phrase === '--key-file VALUE' && !/^\S*[./]\S*$/.test(value)) return false;
  if (phrase.startsWith('-s ')) return !hasStackFlag(argv);
  const [flag = ''] = phrase.split(' ');
  if (!command || !flag.startsWith('-')) return true;
  const knownFlags = [...flagsOf(command), ...globalOptions].flatMap(({ spellings }) => spellings);
  return knownFlags.includes(flag) && (flag !== '--yes' || command.confirm?.level === 'yes');
}

interface Insertion extends Pick<TypedLine, 'at' | 'path'>, TypedValue {
  readonly otherWords: readonly string[];
}

function insertWords(phrase: string, { otherWords, at, path, value = '' }: Insertion): readonly string[] {
  const filledWords = phrase
    .split(' ')
    .filter(Boolean)
    .map((word) =>
      word.replace('~VALUE', () => `~${value.split('*').find(Boolean) ?? value}`).replace('VALUE', () => value),
    );
  if (phrase.startsWith('=')) {
    const isFlag = otherWords[at - 2]?.startsWith('-');
    return isFlag ? [] : otherWords.with(at - 1, `${otherWords[at - 1]}=${value}`);
  }
  if (!/^[a-z]/.test(phrase)) return otherWords.toSpliced(at, 0, ...filledWords);
  return replaceFirstWords(otherWords, path.length, filledWords);
}
