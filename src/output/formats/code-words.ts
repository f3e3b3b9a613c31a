import type { Fields } from '../../contract/field.ts';
import { isObject } from '../../contract/values/json.ts';
import { copySpellings } from '../../json/read.ts';
import { knownPaths, valueAtPath } from '../field-path.ts';

/** The rows with the words of codes that the expression names: `status_text` beside `status`. */
export function withWords(value: unknown, fields: Fields, expression: string): unknown {
  const names = knownPaths(fields).filter((path) => !Object.hasOwn(fields, path) && !path.includes('.'));
  const missing = names.filter((name) => RegExp(`\\b${name}\\b`).test(expression));
  if (missing.length === 0) return value;
  const named = (row: unknown) => {
    if (!isObject(row)) return row;
    const words = missing.map((name) => [name, valueAtPath(fields, row, name) ?? null] as const);
    const copy: Record<string, unknown> = { ...row };
    copySpellings(row, copy);
    for (const [name, word] of words) copy[name] ??= word;
    return copy;
  };
  return Array.isArray(value) ? value.map(named) : named(value);
}

/** A note for an expression that compares a code with a word, which no code equals. */
export function codeNotes(fields: Fields, expression: string): readonly string[] {
  const compared = [
    ...expression.matchAll(/\.(?<name>\w+)\s*[!=]=\s*"(?<word>[^"]*)"/g),
    ...expression.matchAll(/"(?<word>[^"]*)"\s*[!=]=\s*\.(?<name>\w+)/g),
  ];
  const names = compared.flatMap(({ groups: { name = '', word = '' } = {} }) => {
    const meanings = Object.hasOwn(fields, name) ? fields[name]?.meanings : undefined;
    return meanings?.includes(word) ? [name] : [];
  });
  return [...new Set(names)].map(
    (name) => `${name} is a code: the expression compares it with a word; use ${name}_text.`,
  );
}
