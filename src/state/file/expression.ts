import type { Reference, StackEntry } from '../entry.ts';
import type { FilePair, FileValue } from './document.ts';

export type RightSide = Pick<StackEntry, 'expression' | 'allow_empty'>;

const markerKinds = ['preserve', 'absent', 'unmanaged'] as const;
const referenceKinds = ['env', 'file', 'secret'] as const;
const knownKeys: readonly string[] = ['value', ...referenceKinds, ...markerKinds];

/** Reads the value of a variable or setting: text, or a mapping with one of `knownKeys`; undefined after a mistake. */
export function readExpression(value: FileValue, isSetting: boolean): RightSide | undefined {
  if (value.kind === 'text') return { expression: { kind: 'literal', value: value.text } };
  const pairs = value.kind === 'map' ? value.pairs : [];
  const unknownPair = pairs.find(({ key }) => key !== 'allow_empty' && !knownKeys.includes(key));
  // The unknown key is not shown, because a secret that was written without quotes may be read as a key.
  if (unknownPair) return unknownPair.at.addMistake(`unknown key; known are ${knownKeys.join(', ')}, allow_empty`);
  const [pair, extraPair] = pairs.filter(({ key }) => knownKeys.includes(key));
  if (!pair) return value.at.addMistake(`expected text, or a mapping with one of ${knownKeys.join(', ')}`);
  if (extraPair?.key === pair.key) return undefined;
  if (extraPair) return extraPair.at.addMistake(`use ${pair.key} or ${extraPair.key}, not both`);
  const allowEmptyPair = pairs.find(({ key }) => key === 'allow_empty');
  if (allowEmptyPair && !checkTrue(allowEmptyPair)) return undefined;
  const kind = markerKinds.find((name) => name === pair.key);
  if (!kind) return readTextExpression(pair, allowEmptyPair !== undefined);
  if (allowEmptyPair) return allowEmptyPair.at.addMistake(`allow_empty does not go with ${kind}`);
  if (kind === 'absent' && isSetting) return pair.at.addMistake('a setting cannot be absent');
  return checkTrue(pair) ? { expression: { kind } } : undefined;
}

function checkTrue({ key, value }: FilePair): boolean {
  const isTrueText = value.kind === 'text' && value.text === 'true';
  if (!isTrueText) value.at.addMistake(`${key} must be true`);
  return isTrueText;
}

function readTextExpression({ key, value }: FilePair, allow_empty: boolean): RightSide | undefined {
  if (value.kind !== 'text') return value.at.addMistake(`${key} must be text`);
  const { text, at } = value;
  const kind = referenceKinds.find((name) => name === key);
  if (!kind) return { expression: { kind: 'literal', value: text }, allow_empty };
  const mistake = referenceMistake({ kind, from: text });
  return mistake ? at.addMistake(mistake) : { expression: { kind, from: text }, allow_empty };
}

function referenceMistake({ kind, from }: Reference): string | undefined {
  if (from.trim() === '' || from.includes('\0')) return `${kind} must be text that is not empty`;
  if (kind === 'env') return from.includes('=') ? 'env must be the name of a variable' : undefined;
  if (kind === 'secret') return from.startsWith('-') ? 'a reference must not begin with "-"' : undefined;
  const isOutsideFolder = /^[/\\]|^[a-z]:/i.test(from) || from.split(/[/\\]/).includes('..');
  return isOutsideFolder ? 'the path must lie below the folder of this file' : undefined;
}

/** Reads the value of tags: a list, or `{ unmanaged: true }`. Returns undefined after a mistake. */
export function readTags(value: FileValue): RightSide | undefined {
  if (value.kind !== 'list') return readUnmanaged(value, 'a list of tags');
  const tags = new Set<string>();
  for (const item of value.items) {
    if (item.kind !== 'text' || item.text.trim() === '') item.at.addMistake('a tag must be text');
    else if (tags.has(item.text)) item.at.addMistake('this tag is already listed');
    else tags.add(item.text);
  }
  return { expression: { kind: 'tags', tags: [...tags].toSorted() } };
}

/** Reads the value of a process count: `3`, `2..4` or `{ unmanaged: true }`. Returns undefined after a mistake. */
export function readCount(value: FileValue): RightSide | undefined {
  const expected = 'a count such as 3, or a range such as 2..4';
  if (value.kind !== 'text') return readUnmanaged(value, expected);
  const [, first, last = first] = /^(\d{1,4})(?:\.\.(\d{1,4}))?$/.exec(value.text) ?? [];
  const [least, most] = [Number(first), Number(last)];
  return least <= most ? { expression: { kind: 'count', least, most } } : value.at.addMistake(`expected ${expected}`);
}

function readUnmanaged(value: FileValue, expected: string): RightSide | undefined {
  const [pair, ...others] = value.kind === 'map' ? value.pairs : [];
  if (pair?.key !== 'unmanaged' || others.length > 0)
    return value.at.addMistake(`expected ${expected}, or { unmanaged: true }`);
  return checkTrue(pair) ? { expression: { kind: 'unmanaged' } } : undefined;
}
