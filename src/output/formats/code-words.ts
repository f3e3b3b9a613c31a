import type { Fields } from '../../contract/field.ts';
import { isObject } from '../../contract/values/json.ts';
import { copySpellings } from '../../json/read.ts';
import { allFieldPaths, valueAtPath } from '../field-path.ts';

/** Returns the rows with each field of words that the expression names, such as `status_text` for `status`. */
export function withWordFields(value: unknown, fields: Fields, expression: string): unknown {
  const wordFieldNames = allFieldPaths(fields).filter((path) => !Object.hasOwn(fields, path) && !path.includes('.'));
  const usedWordFields = wordFieldNames.filter((name) => RegExp(`\\b${name}\\b`).test(expression));
  if (usedWordFields.length === 0) return value;
  const addWordFields = (row: unknown) => {
    if (!isObject(row)) return row;
    const wordEntries = usedWordFields.map((name) => [name, valueAtPath(fields, row, name) ?? null] as const);
    const copy: Record<string, unknown> = { ...row };
    copySpellings(row, copy);
    for (const [name, word] of wordEntries) copy[name] ??= word;
    return copy;
  };
  return Array.isArray(value) ? value.map(addWordFields) : addWordFields(value);
}

/** Returns a note for each code that the expression compares with a word, because no code ever equals a word. */
export function codeNotes(fields: Fields, expression: string): readonly string[] {
  const comparisons = [
    ...expression.matchAll(/\.(?<name>\w+)\s*[!=]=\s*"(?<word>[^"]*)"/g),
    ...expression.matchAll(/"(?<word>[^"]*)"\s*[!=]=\s*\.(?<name>\w+)/g),
  ];
  const notes = comparisons.flatMap(({ groups: { name = '', word = '' } = {} }) => {
    const meanings = Object.hasOwn(fields, name) ? fields[name]?.meanings : undefined;
    if (!meanings?.includes(word)) return [];
    return [`${name} is a code: the expression compares it with a word; use ${name}_text.`];
  });
  return [...new Set(notes)];
}
