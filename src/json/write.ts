import { original } from '../contract/values/json.ts';
import { invisibleCharacters } from './invisible.ts';
import { hasSpellings, spellingOf } from './read.ts';

interface JsonStyle {
  readonly indent: boolean;
  /** Escapes characters that can disturb a terminal. The values stay the same. */
  readonly escapeControls: boolean;
}

/** JSON text of a value, without a final newline; bigints as digits, numbers in their original spelling. */
export function writeJson(value: unknown, style: JsonStyle): string {
  return escapedIfNeeded(layOut(value, style.indent ? '\n' : ''), style);
}

const pieceLength = 65_536;

/** As `writeJson`, but in pieces of some items each, so the text of a long list is never whole in memory. */
export function* jsonPieces(input: unknown, style: JsonStyle): Generator<string> {
  const value = original(input);
  if (!Array.isArray(value) || value.length === 0) return yield writeJson(value, style);
  const line = style.indent ? '\n  ' : '';
  let text = '[';
  for (const [index, item] of value.entries()) {
    text += `${index === 0 ? '' : ','}${line}${spellingOf(value, String(index)) ?? layOut(item, line)}`;
    if (text.length < pieceLength) continue;
    yield escapedIfNeeded(text, style);
    text = '';
  }
  yield escapedIfNeeded(`${text}${style.indent ? '\n' : ''}]`, style);
}

/** Escapes everything in a JSON text that can disturb a terminal. Its values stay the same. */
export function escapeControls(text: string): string {
  // Line feeds between values are layout; within strings they are escaped already.
  return text.replace(invisibleCharacters(), (found) => (found === '\n' ? found : unicodeEscaped(found)));
}

function escapedIfNeeded(text: string, style: JsonStyle): string {
  return style.escapeControls ? escapeControls(text) : text;
}

/** `line` is a newline with the indentation so far, or empty for one line. Node 20 has no `JSON.rawJSON`. */
function layOut(input: unknown, line: string, careful = carefulIn(input)): string {
  const value = original(input);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null || !careful.has(value)) return indentedJson(value, line);
  const inner = line && `${line}  `;
  const isList = Array.isArray(value);
  const parts = Object.entries(value)
    .filter(([, item]) => isList || item !== undefined)
    .map(
      ([key, item]) => `${isList ? '' : keyName(key, line)}${spellingOf(value, key) ?? layOut(item, inner, careful)}`,
    );
  const [begin, end] = isList ? '[]' : '{}';
  return `${begin}${inner}${parts.join(`,${inner}`)}${line}${end}`;
}

function carefulIn(input: unknown, found = new Set<unknown>()): Set<unknown> {
  const value = original(input);
  if (typeof value === 'bigint') return found.add(value);
  if (typeof value !== 'object' || value === null) return found;
  for (const item of Object.values(value)) if (carefulIn(item, found).has(original(item))) found.add(value);
  return hasSpellings(value) ? found.add(value) : found;
}

function indentedJson(value: unknown, line: string): string {
  const text = JSON.stringify(value, undefined, line && 2) ?? 'null';
  return line.length > 1 ? text.replaceAll('\n', line) : text;
}

function keyName(key: string, line: string): string {
  return `${JSON.stringify(key)}:${line && ' '}`;
}

/** Escapes every UTF-16 unit of a text: `\u00e9`. */
export function unicodeEscaped(text: string): string {
  return text.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
