import { getInvisiblePattern } from '../../json/invisible.ts';

const plainAsciiPattern = /^[\x20-\x7e]*$/;

/** Escapes control and invisible characters of an external text, such as `\n`, `\x1b` and `\u202e`, to one line. */
export function safeText(text: string): string {
  return plainAsciiPattern.test(text) ? text : text.replace(getInvisiblePattern(), asEscape);
}

const plainLinesPattern = /^[\x20-\x7e\n\t]*$/;

/** Escapes a text like `safeText`, except line feeds and tabs. */
export function safeLines(text: string): string {
  if (plainLinesPattern.test(text)) return text;
  return text.replace(getInvisiblePattern(), (char) => (char === '\n' || char === '\t' ? char : asEscape(char)));
}

const namedEscapes: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function asEscape(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  const digits = code.toString(16);
  if (code <= 0xff) return namedEscapes[char] ?? `\\x${digits.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${digits.padStart(4, '0')}` : `\\u{${digits}}`;
}
