import { invisible } from './invisible.ts';
import { hasSpellings, spellingOf } from './spelling.ts';
import { charactersPerTurn, valuesPerTurn } from './turn.ts';

export interface JsonStyle {
  readonly indent: boolean;
  /** Escapes characters that can disturb a terminal; values stay the same. */
  readonly escapeControls: boolean;
}

/** JSON text of a value, without a final newline; bigints as digits, numbers in their original spelling. */
export function writeJson(value: unknown, style: JsonStyle): string {
  return [...jsonPieces(value, style)].join('');
}

/** Size of one piece for a stream. */
const pieceLength = 65_536;

/** The same in pieces, so that the event loop can run in between. */
export function* jsonPieces(value: unknown, { indent, escapeControls: escapes }: JsonStyle): Generator<string> {
  const finished = (text: string): string => (escapes ? escapeControls(text) : text);
  let text = '';
  let values = 0;
  for (const part of partsOf(value, indent ? '\n' : '')) {
    if (text !== '' && (text.length >= pieceLength || values + part.values > valuesPerTurn)) {
      yield finished(text);
      text = '';
      values = 0;
    }
    text += part.text;
    values += part.values;
  }
  if (text !== '') yield finished(text);
}

/** JSON text with everything escaped that can disturb a terminal; its values stay the same. */
export function escapeControls(text: string): string {
  // Line feeds between values are layout; in strings they are escaped.
  return text.replace(invisible(), (found) => (found === '\n' ? found : escaped(found)));
}

interface Part {
  readonly text: string;
  readonly values: number;
}

/** `line` is a newline with the indentation so far, or empty for one line. */
function* partsOf(value: unknown, line: string): Generator<Part> {
  const size = sizeOf(value);
  if (size) yield { text: size.careful ? layOut(value, line) : plain(value, line), values: size.values };
  else if (typeof value === 'string') yield* textParts(value);
  else if (typeof value === 'object' && value !== null) yield* containerParts(value, line);
}

function* containerParts(holder: object, line: string): Generator<Part> {
  const isList = Array.isArray(holder);
  const inner = line && `${line}  `;
  let before = isList ? '[' : '{';
  for (const [key, item] of membersOf(holder)) {
    yield { text: `${before}${inner}${isList ? '' : nameOf(key, line)}`, values: 1 };
    const spelling = spellingOf(holder, key);
    if (spelling !== undefined) yield { text: spelling, values: 0 };
    else yield* partsOf(item, inner);
    before = ',';
  }
  yield { text: `${line}${isList ? ']' : '}'}`, values: 0 };
}

function* membersOf(holder: object): Generator<[string, unknown]> {
  if (Array.isArray(holder)) for (const [index, item] of holder.entries()) yield [String(index), item];
  else for (const [name, item] of Object.entries(holder)) if (item !== undefined) yield [name, item];
}

function* textParts(text: string): Generator<Part> {
  yield { text: '"', values: 1 };
  for (let from = 0; from < text.length; ) {
    const end = from + pieceLength;
    // Surrogate pairs must be escaped together.
    const to = /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end + 1 : end;
    yield { text: JSON.stringify(text.slice(from, to)).slice(1, -1), values: 0 };
    from = to;
  }
  yield { text: '"', values: 0 };
}

/** True when a value is small enough to be written at once. */
export function isSmall(value: unknown): boolean {
  return sizeOf(value) !== undefined;
}

interface Size {
  values: number;
  characters: number;
  /** Whether it holds numbers that `JSON.stringify` cannot write. */
  careful: boolean;
}

/** Undefined for a value too large to be written at once. */
function sizeOf(value: unknown): Size | undefined {
  const size = { values: 0, characters: 0, careful: false };
  return measure(value, size) ? size : undefined;
}

function measure(value: unknown, size: Size): boolean {
  size.values += 1;
  if (typeof value === 'string') size.characters += value.length;
  else if (typeof value === 'bigint') size.careful = true;
  if (size.values > valuesPerTurn || size.characters > charactersPerTurn) return false;
  if (typeof value !== 'object' || value === null) return true;
  size.careful ||= hasSpellings(value);
  if (Array.isArray(value)) return value.every((item) => measure(item, size));
  for (const name in value) {
    size.characters += name.length;
    if (!measure((value as Record<string, unknown>)[name], size)) return false;
  }
  return true;
}

function plain(value: unknown, line: string): string {
  const text = JSON.stringify(value, undefined, line && 2) ?? 'null';
  return line.length > 1 ? text.replaceAll('\n', line) : text;
}

/** Node 20 has no `JSON.rawJSON`. */
function layOut(value: unknown, line: string): string {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return plain(value, '');
  const inner = line && `${line}  `;
  const isList = Array.isArray(value);
  const parts = [...membersOf(value)].map(
    ([key, item]) => `${isList ? '' : nameOf(key, line)}${spellingOf(value, key) ?? layOut(item, inner)}`,
  );
  const [begin, end] = isList ? '[]' : '{}';
  return parts.length === 0 ? `${begin}${end}` : `${begin}${inner}${parts.join(`,${inner}`)}${line}${end}`;
}

function nameOf(key: string, line: string): string {
  return `${JSON.stringify(key)}:${line && ' '}`;
}

function escaped(found: string): string {
  return Array.from({ length: found.length }, (_, at) => {
    return `\\u${found.charCodeAt(at).toString(16).padStart(4, '0')}`;
  }).join('');
}
