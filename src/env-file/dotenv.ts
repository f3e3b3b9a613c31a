import {
  type Assignment,
  matchAt,
  needsNoQuotes,
  type ReadValue,
  readAssignments,
  type WriteLine,
} from './assignments.ts';
import type { EnvFile } from './entry.ts';

const doubleQuoted = /"([^"\\]*(?:\\[\s\S][^"\\]*)*)"/y;
const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/**
 * Reads dotenv: `KEY=VALUE`, `export` in front or not, `#` comments on lines of their own or after a blank; single quotes
 * are literal, double quotes know `\n \r \t \" \\ \$`, both may span lines; nothing is expanded. CRLF ends a line and is kept within
 * quotes. Throws usage with the line of an open quote, of a key that stands twice, and of anything else.
 */
export function readDotenv(file: EnvFile): readonly Assignment[] {
  return readAssignments(file, readValue);
}

const readValue: ReadValue = (text, from) => {
  const start = from + (matchAt(/[ \t]*/y, text, from)?.[0].length ?? 0);
  if (text[start] === "'") return singleQuoted(text, start);
  if (text[start] !== '"') return unquoted(text, from);
  const [whole, inner = ''] = matchAt(doubleQuoted, text, start) ?? [];
  if (whole === undefined) return 'this quote is never closed';
  const value = inner.replace(/\\([nrt"\\$])/g, (_, sign: string) => escapes[sign] ?? sign);
  return { value, to: start + whole.length };
};

function singleQuoted(text: string, start: number): ReturnType<ReadValue> {
  const end = text.indexOf("'", start + 1);
  return end < 0 ? 'this quote is never closed' : { value: text.slice(start + 1, end), to: end + 1 };
}

/** Up to the end of the line or a comment, without the blanks around. */
function unquoted(text: string, from: number): { readonly value: string; readonly to: number } {
  const feed = text.indexOf('\n', from);
  const line = text.slice(from, feed < 0 ? undefined : feed);
  const comment = line.search(/[ \t]#/);
  const written = (comment < 0 ? line.replace(/\r$/, '') : line.slice(0, comment)).replace(/[ \t]+$/, '');
  return { value: written.replace(/^[ \t]+/, ''), to: from + written.length };
}

/** Single quotes, where they are needed at all; double ones where the value holds a single one. */
export const writeDotenv: WriteLine = {
  value: (value) => {
    if (needsNoQuotes(value)) return value;
    return value.includes("'") ? `"${value.replace(/["\\$]/g, '\\$&')}"` : `'${value}'`;
  },
  line: (key, value) => `${key}=${writeDotenv.value(value)}`,
};
