import type { Expression, StackEntry } from '../entry.ts';
import type { FilePair, FileValue, Mistakes } from './document.ts';

type RightSide = Pick<StackEntry, 'expression' | 'allow_empty'>;

const marks = ['preserve', 'absent', 'unmanaged'] as const;
const referenceKinds = ['env', 'file', 'secret'] as const;
const kinds: readonly string[] = ['value', ...referenceKinds, ...marks];

/** Reads the value of a variable or setting: text, or a mapping with one of `kinds`; undefined after a mistake. */
export function readExpression(value: FileValue, mistakes: Mistakes, isSetting: boolean): RightSide | undefined {
  if (value.kind === 'text') return rightSide({ kind: 'literal', value: value.text });
  const addMismatch = () => mistakes.add(value.at, `expected text, or a mapping with one of ${kinds.join(', ')}`);
  if (value.kind === 'list') return addMismatch();
  const unknownPair = value.pairs.find(({ key }) => key !== 'allow_empty' && !kinds.includes(key));
  // The unknown key is not shown, because a secret that was written without quotes may be read as a key.
  if (unknownPair) return mistakes.add(unknownPair.at, `unknown key; known are ${kinds.join(', ')}, allow_empty`);
  const [pair, extraPair] = value.pairs.filter(({ key }) => kinds.includes(key));
  if (!pair) return addMismatch();
  if (extraPair?.key === pair.key) return undefined;
  if (extraPair) return mistakes.add(extraPair.at, `use ${pair.key} or ${extraPair.key}, not both`);
  const allowEmptyPair = value.pairs.find(({ key }) => key === 'allow_empty');
  if (allowEmptyPair && !isTrue(allowEmptyPair, mistakes)) return undefined;
  const mark = marks.find((name) => name === pair.key);
  if (!mark) return readText(pair, mistakes, allowEmptyPair !== undefined);
  if (allowEmptyPair) return mistakes.add(allowEmptyPair.at, `allow_empty does not go with ${mark}`);
  if (mark === 'absent' && isSetting) return mistakes.add(pair.at, 'a setting cannot be absent');
  return isTrue(pair, mistakes) ? rightSide({ kind: mark }) : undefined;
}

function rightSide(expression: Expression, allow_empty = false): RightSide {
  return { expression, allow_empty };
}

function isTrue({ key, value }: FilePair, mistakes: Mistakes): boolean {
  const isRight = value.kind === 'text' && value.text === 'true';
  if (!isRight) mistakes.add(value.at, `${key} must be true`);
  return isRight;
}

function readText({ key, value }: FilePair, mistakes: Mistakes, allow_empty: boolean): RightSide | undefined {
  if (value.kind !== 'text') return mistakes.add(value.at, `${key} must be text`);
  const { text } = value;
  const kind = referenceKinds.find((name) => name === key);
  if (!kind) return rightSide({ kind: 'literal', value: text }, allow_empty);
  const fault = referenceFault(kind, text);
  return fault ? mistakes.add(value.at, fault) : rightSide({ kind, from: text }, allow_empty);
}

function referenceFault(kind: (typeof referenceKinds)[number], from: string): string | undefined {
  if (from.trim() === '' || from.includes('\0')) return `${kind} must be text that is not empty`;
  if (kind === 'env') return from.includes('=') ? 'env must be the name of a variable' : undefined;
  if (kind === 'secret') return from.startsWith('-') ? 'a reference must not begin with "-"' : undefined;
  const isOutside = /^[/\\]|^[a-z]:/i.test(from) || from.split(/[/\\]/).includes('..');
  return isOutside ? 'the path must lie below the folder of this file' : undefined;
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
  return isTrue(pair, mistakes) ? rightSide({ kind: 'unmanaged' }) : undefined;
}
