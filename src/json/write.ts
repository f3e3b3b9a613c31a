import { originalOf } from '../contract/values/json.ts';
import { getInvisiblePattern } from './invisible.ts';
import { hasSpellings, spellingOf } from './read.ts';

interface JsonStyle {
  readonly indent?: boolean;
  /** True to escape characters that can disturb a terminal. The values stay the same. */
  readonly escapeControls?: boolean;
}

/** Returns the JSON text of a value without a final newline. Numbers have all digits and their original spelling. */
export function writeJson(value: unknown, style: JsonStyle = {}): string {
  return escapeIfNeeded(layOutJson(value, style.indent ? '\n' : ''), style);
}

const minPieceLength = 65_536;

/** Yields the text of `writeJson` in pieces of some items each. The text of a long list is never whole in memory. */
export function* jsonPieces(input: unknown, style: JsonStyle): Generator<string> {
  const value = originalOf(input);
  if (!Array.isArray(value) || value.length === 0) return yield writeJson(value, style);
  const newline = style.indent ? '\n  ' : '';
  let text = '[';
  for (const [index, item] of value.entries()) {
    text += `${index === 0 ? '' : ','}${newline}${spellingOf(value, String(index)) ?? layOutJson(item, newline)}`;
    if (text.length < minPieceLength) continue;
    yield escapeIfNeeded(text, style);
    text = '';
  }
  yield escapeIfNeeded(`${text}${style.indent ? '\n' : ''}]`, style);
}

/** Escapes everything in a JSON text that can disturb a terminal. The values in the text stay the same. */
export function escapeControls(text: string): string {
  // Line feeds stay: between values they are layout, and within strings they are escaped already.
  return text.replace(getInvisiblePattern(), (char) => (char === '\n' ? char : unicodeEscaped(char)));
}

function escapeIfNeeded(text: string, style: JsonStyle): string {
  return style.escapeControls ? escapeControls(text) : text;
}

/** `newline`: a line feed and indentation, or empty. `JSON.stringify` of Node 20 cannot write special numbers. */
function layOutJson(input: unknown, newline: string, specialValues = findSpecialValues(input)): string {
  const value = originalOf(input);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null || !specialValues.has(value)) return indentedJson(value, newline);
  const innerLineBreak = newline && `${newline}  `;
  const isList = Array.isArray(value);
  const entryTexts = Object.entries(value)
    .filter(([, item]) => isList || item !== undefined)
    .map(
      ([key, item]) =>
        `${isList ? '' : keyText(key, newline)}${spellingOf(value, key) ?? layOutJson(item, innerLineBreak, specialValues)}`,
    );
  const [begin, end] = isList ? '[]' : '{}';
  return `${begin}${innerLineBreak}${entryTexts.join(`,${innerLineBreak}`)}${newline}${end}`;
}

function findSpecialValues(input: unknown, special = new Set<unknown>()): Set<unknown> {
  const value = originalOf(input);
  if (typeof value === 'bigint') return special.add(value);
  if (typeof value !== 'object' || value === null) return special;
  for (const item of Object.values(value))
    if (findSpecialValues(item, special).has(originalOf(item))) special.add(value);
  return hasSpellings(value) ? special.add(value) : special;
}

function indentedJson(value: unknown, newline: string): string {
  const text = JSON.stringify(value, undefined, newline && 2) ?? 'null';
  return newline.length > 1 ? text.replaceAll('\n', newline) : text;
}

function keyText(key: string, newline: string): string {
  return `${JSON.stringify(key)}:${newline && ' '}`;
}

/** Escapes every UTF-16 unit of a text: `é` becomes `\u00e9`. */
export function unicodeEscaped(text: string): string {
  return text.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
