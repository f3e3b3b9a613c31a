import type { RecordType } from '../../contract/record.ts';
import type { Correction, UnknownField } from '../../errors/cli-error.ts';
import { nearest } from '../../errors/nearest.ts';
import { findFieldPath } from '../../output/columns.ts';
import { allFieldPaths, fieldAt } from '../../output/field-path.ts';
import { knownWords } from '../../output/filter-sort.ts';
import type { Options } from '../arguments/options.ts';
import { readFilter } from '../arguments/view.ts';
import { createDictionary } from './dictionary.ts';
import { text as fields } from './words/fields.txt';

const findOurFields = createDictionary(fields);

/** Returns the path of the field that was meant by a misspelled name or a name of another tool, if there is one. */
export function suggestField(typed: string, recordType: RecordType): string | undefined {
  const name = typed.toLowerCase().replaceAll('-', '_');
  const translatedPath = findOurFields(name)
    .flatMap((paths) => paths.split(', '))
    .find((path) => fieldAt(recordType.fields, path));
  return findFieldPath(name, recordType) ?? translatedPath ?? nearestSibling(name, allFieldPaths(recordType.fields));
}

/** Compares only the last part of paths, because the `a.` of `a.b` would make every `a.c` similar. */
function nearestSibling(path: string, paths: readonly string[]): string | undefined {
  const prefix = path.slice(0, path.lastIndexOf('.') + 1);
  const siblings = paths.filter((other) => other.startsWith(prefix)).map((other) => other.slice(prefix.length));
  const name = nearest(path.slice(prefix.length), siblings);
  return name && prefix + name;
}

/** Returns the condition on the first field that has this word among its values: `outcome=failed` for `failed`. */
export function wordCondition(word: string, recordType: RecordType): string | undefined {
  const path = [...recordType.columns, ...allFieldPaths(recordType.fields)].find((candidate) => {
    const field = fieldAt(recordType.fields, candidate);
    return field && field.kind !== 'flag' && knownWords(field).includes(word);
  });
  return path && `${path}=${word}`;
}

/** Returns the correction of an unknown field in the flag that holds it; undefined if no field is similar. */
export function fieldCorrection({ typed, recordType }: UnknownField, options: Options): Correction | undefined {
  const { fields, columns, sort, where = [] } = options;
  const path = suggestField(typed, recordType);
  if (path === undefined) return undefined;
  const correctName = (name: string) => (name.trim() === typed ? path : name.trim());
  const correctList = (list: string) => list.split(',').map(correctName).join(',');
  const condition = where.find((text) => readFilter(text).path === typed);
  if (condition !== undefined) return flagCorrection('--where', condition, path + condition.slice(typed.length));
  if (sort?.replace(/^-/, '') === typed) return flagCorrection('--sort', sort, sort.replace(typed, path));
  if (columns !== undefined) return flagCorrection('--columns', columns, correctList(columns));
  return fields === undefined ? undefined : flagCorrection('--fields', fields, correctList(fields));
}

function flagCorrection(flag: string, value: string, newValue: string): Correction {
  return { replace: { word: value, by: [newValue], at: flag } };
}
