import type { Expression, StackEntry } from '../entry.ts';
import type { FilePair, FileValue, Mistakes } from './document.ts';

type RightSide = Pick<StackEntry, 'expression' | 'allow_empty'>;

const markerKinds = ['preserve', 'absent', 'unmanaged'] as const;
const referenceKinds = ['env', 'file', 'secret'] as const;
const knownKeys: readonly string[] = ['value', ...referenceKinds, ...markerKinds];

/** Reads the value of a variable or setting: text, or a mapping with one of `knownKeys`; undefined after a mistake. */
export function readExpression(value: FileValue, mistakes: Mistakes, isSetting: boolean): RightSide | undefined {
  if (value.kind === 'text') return rightSide({ kind: 'literal', value: value.text });
  const addMismatch = () => mistakes.add(value.at, `expected text, or a mapping with one of ${knownKeys.join(', ')}`);
  if (value.kind === 'list') return addMismatch();
  const unknownPair = value.pairs.find(({ key }) => key !== 'allow_empty' && !knownKeys.includes(key));
  // The unknown key is not shown, because a secret that was written without quotes may be read as a key.
  if (unknownPair) return mistakes.add(unknownPair.at, `unknown key; known are ${knownKeys.join(', ')}, allow_empty`);
  const [pair, extraPair] = value.pairs.filter(({ key }) => knownKeys.includes(key));
  if (!pair) return addMismatch();
  if (extraPair?.key === pair.key) return undefined;
  if (extraPair) return mistakes.add(extraPair.at, `use ${pair.key} or ${extraPair.key}, not both`);
  const allowEmptyPair = value.pairs.find(({ key }) => key === 'allow_empty');
  if (allowEmptyPair && !requireTrue(allowEmptyPair, mistakes)) return undefined;
  const marker = markerKinds.find((name) => name === pair.key);
  if (!marker) return readText(pair, mistakes, allowEmptyPair !== undefined);
  if (allowEmptyPair) return mistakes.add(allowEmptyPair.at, `allow_empty does not go with ${marker}`);
  if (marker === 'absent' && isSetting) return mistakes.add(pair.at, 'a setting cannot be absent');
  return requireTrue(pair, mistakes) ? rightSide({ kind: marker }) : undefined;
}

function rightSide(expression: Expression, allow_empty = false): RightSide {
  return { expression, allow_empty };
}

function requireTrue({ key, value }: FilePair, mistakes: Mistakes): boolean {
  const isTrueText = value.kind === 'text' && value.text === 'true';
  if (!isTrueText) mistakes.add(value.at, `${key} must be true`);
  return isTrueText;
}

function readText({ key, value }: FilePair, mistakes: Mistakes, allow_empty: boolean): RightSide | undefined {
  if (value.kind !== 'text') return mistakes.add(value.at, `${key} must be text`);
  const { text } = value;
  const kind = referenceKinds.find((name) => name === key);
  if (!kind) return rightSide({ kind: 'literal', value: text }, allow_empty);
  const mistake = referenceMistake(kind, text);
  return mistake ? mistakes.add(value.at, mistake) : rightSide({ kind, from: text }, allow_empty);
}

function referenceMistake(kind: (typeof referenceKinds)[number], from: string): string | undefined {
  if (from.trim() === '' || from.includes('\0')) return `${kind} must be text that is not empty`;
  if (kind === 'env') return from.includes('=') ? 'env must be the name of a variable' : undefined;
  if (kind === 'secret') return from.startsWith('-') ? 'a reference must not begin with "-"' : undefined;
  const isOutsideFolder = /^[/\\]|^[a-z]:/i.test(from) || from.split(/[/\\]/).includes('..');
  return isOutsideFolder ? 'the path must lie below the folder of this file' : undefined;
}

/** Reads the value of tags: a list, or `{ unmanaged: true }`. Returns undefined after a mistake. */
export function readTags(value: FileValue, mistakes: Mistakes): RightSide | undefined {
  if (value.kind !== 'list') return readUnmanaged(value, mistakes, 'a list of tags');
  const tags = new Set<string>();
  for (const item of value.items) {
    if (item.kind !== 'text' || item.text.trim() === '') mistakes.add(item.at, 'a tag must be text');
    else if (tags.has(item.text)) mistakes.add(item.at, 'this tag is already listed');
    else tags.add(item.text);
  }
  return rightSide({ kind: 'tags', tags: [...tags].toSorted() });
}

/** Reads the value of a process count: `3`, `2..4` or `{ unmanaged: true }`. Returns undefined after a mistake. */
export function readCount(value: FileValue, mistakes: Mistakes): RightSide | undefined {
  const expected = 'a count such as 3, or a range such as 2..4';
  if (value.kind !== 'text') return readUnmanaged(value, mistakes, expected);
  const [, first, last = first] = /^(\d{1,4})(?:\.\.(\d{1,4}))?$/.exec(value.text) ?? [];
  const [least, most] = [Number(first), Number(last)];
  return least <= most ? rightSide({ kind: 'count', least, most }) : mistakes.add(value.at, `expected ${expected}`);
}

function readUnmanaged(value: FileValue, mistakes: Mistakes, expected: string): RightSide | undefined {
  const [pair, ...others] = value.kind === 'map' ? value.pairs : [];
  if (pair?.key !== 'unmanaged' || others.length > 0) {
    return mistakes.add(value.at, `expected ${expected}, or { unmanaged: true }`);
  }
  return requireTrue(pair, mistakes) ? rightSide({ kind: 'unmanaged' }) : undefined;
}
