import { CliError } from '../errors/cli-error.ts';
import { type LineFormat, matchAt, needsNoQuotes, type ReadValue } from './assignments.ts';

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

const readValue: ReadValue = (text, from) => {
  const start = from + (matchAt(/[ \t]*/y, text, from)?.[0].length ?? 0);
  if (text[start] === "'") return singleQuoted(text, start);
  if (text[start] !== '"') return unquoted(text, from);
  const end = closingQuote(text, start);
  if (end < 0) return 'this quote is never closed';
  const value = text.slice(start + 1, end).replace(/\\([nrt"\\$])/g, (_, sign: string) => escapes[sign] ?? sign);
  return { value, to: end + 1 };
};

function closingQuote(text: string, start: number): number {
  // A loop, because a pattern would overflow the stack on millions of escapes.
  const signs = /["\\]/g;
  signs.lastIndex = start + 1;
  for (let found = signs.exec(text); found; found = signs.exec(text)) {
    if (found[0] === '"') return found.index;
    signs.lastIndex += 1;
  }
  return -1;
}

function singleQuoted(text: string, start: number): ReturnType<ReadValue> {
  const end = text.indexOf("'", start + 1);
  return end < 0 ? 'this quote is never closed' : { value: text.slice(start + 1, end), to: end + 1 };
}

function unquoted(text: string, from: number): { readonly value: string; readonly to: number } {
  const feed = text.indexOf('\n', from);
  const line = text.slice(from, feed < 0 ? undefined : feed);
  const comment = line.search(/[ \t]#/);
  const written = comment < 0 ? line.replace(/\r$/, '') : line.slice(0, comment);
  // A loop, because a pattern for trailing blanks would try each blank of the line.
  let end = written.length;
  while (written[end - 1] === ' ' || written[end - 1] === '\t') end -= 1;
  return { value: written.slice(0, end).replace(/^[ \t]+/, ''), to: from + end };
}

/**
 * Reads dotenv: `KEY=VALUE` with or without `export`; `#` begins a comment on its own line or after a blank. Single
 * quotes are literal, double quotes know `\n \r \t \" \\ \$`, and both may span lines. Nothing is expanded. CRLF ends a
 * line and stays within quotes.
 */
export const dotenv: LineFormat = {
  read: readValue,
  value: (value) => {
    // Single quotes if quotes are needed; double quotes if the value contains a single one.
    if (needsNoQuotes(value)) return value;
    return value.includes("'") ? `"${value.replace(/["\\$]/g, '\\$&')}"` : `'${value}'`;
  },
  line: (key, value) => `${key}=${dotenv.value(value)}`,
};

/** Throws usage for variables that a shell would run as commands when it sources the file, and for invalid names. */
export function refuseUnsafe(values: ReadonlyMap<string, string>): void {
  for (const [key, value] of values) {
    if (!/^[\p{L}\p{N}_.-]+$/u.test(key)) {
      const hint = 'export the other keys by name, or use --format json';
      throw new CliError('usage', `a dotenv file cannot name a variable ${JSON.stringify(key)}`, { hint });
    }
    if (!(value.includes("'") && value.includes('`'))) continue;
    throw new CliError('usage', `a dotenv file cannot hold ${key} safely: it has both ' and \``, {
      hint: 'use --format shell',
    });
  }
}
