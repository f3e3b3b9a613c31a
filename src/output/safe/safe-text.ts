import { invisibleCharacters } from '../../json/invisible.ts';

const plainAscii = /^[\x20-\x7e]*$/;

/** External text as one line of visible characters: control and invisible ones become `\n`, `\x1b`, `\u202e`. */
export function safeText(text: string): string {
  return plainAscii.test(text) ? text : text.replace(invisibleCharacters(), asEscape);
}

const plainLines = /^[\x20-\x7e\n\t]*$/;

/** As `safeText`, but line feeds and tabs stay. */
export function safeLines(text: string): string {
  if (plainLines.test(text)) return text;
  return text.replace(invisibleCharacters(), (found) => (found === '\n' || found === '\t' ? found : asEscape(found)));
}

const namedEscapes: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function asEscape(found: string): string {
  const code = found.codePointAt(0) ?? 0;
  const digits = code.toString(16);
  if (code <= 0xff) return namedEscapes[found] ?? `\\x${digits.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${digits.padStart(4, '0')}` : `\\u{${digits}}`;
}
