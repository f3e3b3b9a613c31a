import type { Expression, StackEntry } from '../entry.ts';
import type { FilePair, FileValue, Mistakes } from './document.ts';

type Written = Pick<StackEntry, 'expression' | 'allow_empty'>;

const marks = ['preserve', 'absent', 'unmanaged'] as const;
const references = ['env', 'file', 'secret'] as const;
const kinds: readonly string[] = ['value', ...references, ...marks];

/** A variable or a setting: text, or a mapping with one of `kinds`. Undefined after a mistake. */
export function readExpression(value: FileValue, mistakes: Mistakes, of: 'variable' | 'setting'): Written | undefined {
  if (value.kind === 'text') return asWritten({ kind: 'literal', value: value.text });
  const expected = () => mistakes.add(value.at, `expected text, or a mapping with one of ${kinds.join(', ')}`);
  if (value.kind === 'list') return expected();
  const unknown = value.pairs.find(({ key }) => key !== 'allow_empty' && !kinds.includes(key));
  // The key is not shown: without quotes a secret may be read as one.
  if (unknown) return mistakes.add(unknown.at, `unknown key; known are ${kinds.join(', ')}, allow_empty`);
  const [one, more] = value.pairs.filter(({ key }) => kinds.includes(key));
  if (!one) return expected();
  if (more) return more.key === one.key ? undefined : mistakes.add(more.at, `use ${one.key} or ${more.key}, not both`);
  const allowing = value.pairs.find(({ key }) => key === 'allow_empty');
  if (allowing && !isTrue(allowing, mistakes)) return undefined;
  const mark = marks.find((name) => name === one.key);
  if (!mark) return readText(one, mistakes, allowing !== undefined);
  if (allowing) return mistakes.add(allowing.at, `allow_empty does not go with ${mark}`);
  if (mark === 'absent' && of === 'setting') return mistakes.add(one.at, 'a setting cannot be absent');
  return isTrue(one, mistakes) ? asWritten({ kind: mark }) : undefined;
}

function asWritten(expression: Expression, allow_empty = false): Written {
  return { expression, allow_empty };
}

function isTrue({ key, value }: FilePair, mistakes: Mistakes): boolean {
  const isRight = value.kind === 'text' && value.text === 'true';
  if (!isRight) mistakes.add(value.at, `${key} must be true`);
  return isRight;
}

function readText({ key, value }: FilePair, mistakes: Mistakes, allow_empty: boolean): Written | undefined {
  if (value.kind !== 'text') return mistakes.add(value.at, `${key} must be text`);
  const { text } = value;
  const kind = references.find((name) => name === key);
  if (!kind) return asWritten({ kind: 'literal', value: text }, allow_empty);
  const fault = referenceFault(kind, text);
  return fault ? mistakes.add(value.at, fault) : asWritten({ kind, from: text }, allow_empty);
}

function referenceFault(kind: (typeof references)[number], from: string): string | undefined {
  if (from.trim() === '' || from.includes('\0')) return `${kind} must be text that is not empty`;
  if (kind === 'env') return from.includes('=') ? 'env must be the name of a variable' : undefined;
  if (kind === 'secret') return from.startsWith('-') ? 'a reference must not begin with "-"' : undefined;
  const isOutside = /^[/\\]|^[a-z]:/i.test(from) || from.split(/[/\\]/).includes('..');
  return isOutside ? 'the path must lie below the folder of this file' : undefined;
}

/** A list of tags, or `{ unmanaged: true }`. Undefined after a mistake. */
export function readTags(value: FileValue, mistakes: Mistakes): Written | undefined {
  if (value.kind !== 'list') return readUnmanaged(value, mistakes, 'a list of tags');
  const tags = new Set<string>();
  for (const item of value.items) {
    if (item.kind !== 'text' || item.text.trim() === '') mistakes.add(item.at, 'a tag must be text');
    else if (tags.has(item.text)) mistakes.add(item.at, 'this tag is already listed');
    else tags.add(item.text);
  }
  return asWritten({ kind: 'tags', tags: [...tags].toSorted() });
}

/** `3`, `2..4` or `{ unmanaged: true }`. Undefined after a mistake. */
export function readCount(value: FileValue, mistakes: Mistakes): Written | undefined {
  const expected = 'a count such as 3, or a range such as 2..4';
  if (value.kind !== 'text') return readUnmanaged(value, mistakes, expected);
  const [, first, last = first] = /^(\d{1,4})(?:\.\.(\d{1,4}))?$/.exec(value.text) ?? [];
  const [least, most] = [Number(first), Number(last)];
  return least <= most ? asWritten({ kind: 'count', least, most }) : mistakes.add(value.at, `expected ${expected}`);
}

function readUnmanaged(value: FileValue, mistakes: Mistakes, expected: string): Written | undefined {
  const [one, ...more] = value.kind === 'map' ? value.pairs : [];
  if (one?.key !== 'unmanaged' || more.length > 0) {
    return mistakes.add(value.at, `expected ${expected}, or { unmanaged: true }`);
  }
  return isTrue(one, mistakes) ? asWritten({ kind: 'unmanaged' }) : undefined;
}
