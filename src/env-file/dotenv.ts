import { quotedWord } from '../contract/values/text.ts';
import { CliError } from '../errors/cli-error.ts';

export interface FileEntry {
  readonly key: string;
  readonly value: string;
  /** Line number of its beginning, from 1; 0 if the format has no lines. */
  readonly line: number;
}

/** Values of variables by name. */
export type NamedValues = ReadonlyMap<string, string>;

/** The text of a file, and its name in messages: `.env`, `stdin`. */
export interface EnvFile {
  readonly text: string;
  readonly source: string;
}

/** Reports a mistake in a file by its line, never by its text, which may be secret. */
export function envFileError({ source }: Pick<EnvFile, 'source'>, line: number, fault: string): CliError {
  const location = line > 0 ? `${source} line ${line}` : source;
  return new CliError('usage', `${location}: ${fault}`);
}

/** Throws usage if a key is repeated: only the author knows which value is right. */
export function refuseDuplicates(file: EnvFile, entries: readonly FileEntry[]): void {
  const lines = new Map<string, number>();
  for (const { key, line } of entries) {
    const first = lines.get(key);
    if (first !== undefined) throw envFileError(file, line, `${key} is already set on line ${first}`);
    lines.set(key, line);
  }
}

interface Assignment extends FileEntry {
  readonly from: number;
  readonly to: number;
}

/** Reads the value at a position of a text; `to` is its end. A string describes a mistake. */
type ReadValue = (text: string, from: number) => { readonly value: string; readonly to: number } | string;

const emptyLine = /[ \t]*(?:#[^\n]*)?(?:\r?\n|\r?$)/y;
const keyPart = /[ \t]*(?:export[ \t]+)?([^\s=#'"`$]+)[ \t]*=/y;
const lineEnd = /[ \t]*(?:(?<=[ \t])#[^\n]*)?(?:\r?\n|\r?$)/y;

/** Reads the `KEY=VALUE` lines of a text, in order. Throws usage with the line of a mistake. */
export function readAssignments(file: EnvFile, readValue: ReadValue): readonly Assignment[] {
  const { text } = file;
  const found: Assignment[] = [];
  let at = text.startsWith('\ufeff') ? 1 : 0;
  let line = 1;
  const moveTo = (next: number): void => {
    for (let feed = text.indexOf('\n', at); feed >= 0 && feed < next; feed = text.indexOf('\n', feed + 1)) line += 1;
    at = next;
  };
  while (at < text.length) {
    const empty = matchAt(emptyLine, text, at);
    if (empty) {
      moveTo(at + empty[0].length);
      continue;
    }
    const key = matchAt(keyPart, text, at);
    if (!key) throw envFileError(file, line, 'expected KEY=VALUE');
    const from = at + key[0].length;
    const read = readValue(text, from);
    if (typeof read === 'string') throw envFileError(file, line, read);
    const end = matchAt(lineEnd, text, read.to);
    if (!end) throw envFileError(file, line, 'unexpected text after the value');
    found.push({ key: key[1] ?? '', value: read.value, line, from, to: read.to });
    moveTo(read.to + end[0].length);
  }
  refuseDuplicates(file, found);
  return found;
}

/** Replaces values in a text. New keys are added at the end; everything else stays. */
export function replaceValues(file: EnvFile, values: NamedValues, format: LineFormat): string {
  const { text } = file;
  const assignments = readAssignments(file, format.read);
  const known = new Set(assignments.map(({ key }) => key));
  const pieces: string[] = [];
  let at = 0;
  for (const { key, value, from, to } of assignments) {
    const newValue = values.get(key) ?? value;
    pieces.push(text.slice(at, from), newValue === value ? text.slice(from, to) : format.value(newValue));
    at = to;
  }
  const rest = text.slice(at);
  const feed = text.includes('\r\n') ? '\r\n' : '\n';
  const added = [...values].filter(([key]) => !known.has(key)).map(([key, value]) => format.line(key, value) + feed);
  const gap = added.length > 0 && text !== '' && !text.endsWith('\n') ? feed : '';
  return [...pieces, rest, gap, ...added].join('');
}

interface LineFormat {
  readonly read: ReadValue;
  readonly value: (value: string) => string;
  readonly line: (key: string, value: string) => string;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function needsNoQuotes(value: string): boolean {
  return /^[A-Za-z0-9_./:@%+,-]*$/.test(value);
}

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
export function refuseUnsafe(values: NamedValues): void {
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

const shellName = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** A part of a word that no shell expands. */
const piece = /[A-Za-z0-9_./:@%+,=-]+|'([^']*)'|\\([^\n])/y;

const readShellValue: ReadValue = (text, from) => {
  const values: string[] = [];
  let to = from;
  // A loop, because a pattern would overflow the stack on millions of parts.
  for (let found = matchAt(piece, text, to); found; found = matchAt(piece, text, to)) {
    const [whole, quoted, sign] = found;
    values.push(quoted ?? sign ?? whole);
    to += whole.length;
  }
  return text[to] === "'" ? 'this quote is never closed' : { value: values.join(''), to };
};

/** Lines that every shell can source. Throws usage for a key that is not a valid name of a shell variable. */
export const shell: LineFormat = {
  read: readShellValue,
  value: (value) => (needsNoQuotes(value) ? value : quotedWord(value)),
  line: (key, value) => {
    if (shellName.test(key)) return `export ${key}=${shell.value(value)}`;
    throw new CliError('usage', `a shell variable cannot be called "${key}"`, {
      hint: 'export the other keys by name, or use --format json',
    });
  },
};
