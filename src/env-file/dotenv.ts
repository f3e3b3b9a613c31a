import { singleQuoted } from '../contract/values/text.ts';
import { CliError } from '../errors/cli-error.ts';

export interface FileEntry {
  readonly key: string;
  readonly value: string;
  /** Number of the line on which the entry begins, from 1; 0 in JSON, which is read without lines. */
  readonly line: number;
}

export type NamedValues = ReadonlyMap<string, string>;

/** A file of variables. `source` is its name in messages: `.env`, `stdin`. */
export interface EnvFile {
  readonly text: string;
  readonly source: string;
}

/** Returns the error for a mistake in a file. The error shows the line number but not the line, which may be secret. */
export function envFileError({ source }: Pick<EnvFile, 'source'>, line: number, fault: string): CliError {
  const location = line > 0 ? `${source} line ${line}` : source;
  return new CliError('usage', `${location}: ${fault}`);
}

/** Throws `usage` for a repeated key, because only the author of the file knows which value is right. */
export function refuseDuplicates(file: EnvFile, entries: readonly FileEntry[]): void {
  const lineByKey = new Map<string, number>();
  for (const { key, line } of entries) {
    const firstLine = lineByKey.get(key);
    if (firstLine !== undefined) throw envFileError(file, line, `${key} is already set on line ${firstLine}`);
    lineByKey.set(key, line);
  }
}

interface Assignment extends FileEntry {
  readonly from: number;
  readonly to: number;
}

/** Reads the value at offset `from` of a text; `to` is the offset of its end. Returns a message for a mistake. */
type ReadValue = (text: string, from: number) => { readonly value: string; readonly to: number } | string;

const emptyLinePattern = /[ \t]*(?:#[^\n]*)?(?:\r?\n|\r?$)/y;
const keyPattern = /[ \t]*(?:export[ \t]+)?([^\s=#'"`$]+)[ \t]*=/y;
const lineEndPattern = /[ \t]*(?:(?<=[ \t])#[^\n]*)?(?:\r?\n|\r?$)/y;

/** Reads the `KEY=VALUE` lines of a file, in their order. Throws `usage` with the line number of the first mistake. */
export function readAssignments(file: EnvFile, readValue: ReadValue): readonly Assignment[] {
  const { text } = file;
  const assignments: Assignment[] = [];
  let at = text.startsWith('\ufeff') ? 1 : 0;
  let line = 1;
  const moveTo = (nextOffset: number): void => {
    line += text.slice(at, nextOffset).split('\n').length - 1;
    at = nextOffset;
  };
  while (at < text.length) {
    const emptyMatch = matchAt(emptyLinePattern, text, at);
    if (emptyMatch) {
      moveTo(at + emptyMatch[0].length);
      continue;
    }
    const keyMatch = matchAt(keyPattern, text, at);
    if (!keyMatch) throw envFileError(file, line, 'expected KEY=VALUE');
    const valueStart = at + keyMatch[0].length;
    const result = readValue(text, valueStart);
    if (typeof result === 'string') throw envFileError(file, line, result);
    const endMatch = matchAt(lineEndPattern, text, result.to);
    if (!endMatch) throw envFileError(file, line, 'unexpected text after the value');
    assignments.push({ key: keyMatch[1] ?? '', value: result.value, line, from: valueStart, to: result.to });
    moveTo(result.to + endMatch[0].length);
  }
  refuseDuplicates(file, assignments);
  return assignments;
}

/** Returns the text of a file with these values. New keys are added at the end; everything else stays. */
export function replaceValues(file: EnvFile, values: NamedValues, format: LineFormat): string {
  const { text } = file;
  const assignments = readAssignments(file, format.readValue);
  const oldTexts = assignments.flatMap(({ key, value, from, to }, index) => {
    const newValue = values.get(key) ?? value;
    const valueText = newValue === value ? text.slice(from, to) : format.valueText(newValue);
    return [text.slice(assignments[index - 1]?.to ?? 0, from), valueText];
  });
  const keys = new Set(assignments.map(({ key }) => key));
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const newLines = [...values].flatMap(([key, value]) => (keys.has(key) ? [] : format.lineText(key, value) + newline));
  const missingNewline = newLines.length > 0 && !text.endsWith('\n') ? newline : '';
  return [...oldTexts, text.slice(assignments.at(-1)?.to ?? 0), missingNewline, ...newLines].join('');
}

interface LineFormat {
  readonly readValue: ReadValue;
  readonly valueText: (value: string) => string;
  readonly lineText: (key: string, value: string) => string;
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
  const isSingleQuoted = text[start] === "'";
  if (!isSingleQuoted && text[start] !== '"') return readUnquoted(text, from);
  const end = isSingleQuoted ? text.indexOf("'", start + 1) : findClosingQuote(text, start);
  if (end < 0) return 'this quote is never closed';
  const quotedText = text.slice(start + 1, end);
  const unescaped = quotedText.replace(/\\([nrt"\\$])/g, (_, character: string) => escapes[character] ?? character);
  return { value: isSingleQuoted ? quotedText : unescaped, to: end + 1 };
};

function findClosingQuote(text: string, start: number): number {
  // This is a loop, because one pattern for the whole value would overflow the stack on millions of escapes.
  const escapeOrQuotePattern = /\\.|"/gs;
  escapeOrQuotePattern.lastIndex = start + 1;
  for (const { 0: found, index } of text.matchAll(escapeOrQuotePattern)) if (found === '"') return index;
  return -1;
}

function readUnquoted(text: string, from: number): { readonly value: string; readonly to: number } {
  const lineFeedAt = text.indexOf('\n', from);
  const line = text.slice(from, lineFeedAt < 0 ? undefined : lineFeedAt);
  const commentIndex = line.search(/[ \t]#/);
  const uncommented = commentIndex < 0 ? line.replace(/\r$/, '') : line.slice(0, commentIndex);
  // This is a loop, because a pattern for trailing blanks takes quadratic time on a long run of blanks.
  let end = uncommented.length;
  while (uncommented[end - 1] === ' ' || uncommented[end - 1] === '\t') end -= 1;
  return { value: uncommented.slice(0, end).replace(/^[ \t]+/, ''), to: from + end };
}

/**
 * The dotenv format: `KEY=VALUE` with or without `export`. `#` begins a comment on a line of its own or after a blank.
 * Single quotes are literal, double quotes know `\n \r \t \" \\ \$`, and both may span lines. Nothing is expanded. CRLF
 * ends a line; within quotes it is part of the value.
 */
export const dotenvFormat: LineFormat = {
  readValue,
  valueText: (value) => {
    // A value that needs quotes gets single quotes, or double quotes if it contains a single quote.
    if (needsNoQuotes(value)) return value;
    return value.includes("'") ? `"${value.replace(/["\\$]/g, '\\$&')}"` : `'${value}'`;
  },
  lineText: (key, value) => `${key}=${dotenvFormat.valueText(value)}`,
};

const invalidNameHint = 'export the other keys by name, or use --format json';

/** Throws `usage` for a value that a shell would run as a command when it sources the file, and for an invalid name. */
export function refuseUnsafeValues(values: NamedValues): void {
  for (const [key, value] of values) {
    if (!/^[\p{L}\p{N}_.-]+$/u.test(key)) {
      const message = `a dotenv file cannot name a variable ${JSON.stringify(key)}`;
      throw new CliError('usage', message, { hint: invalidNameHint });
    }
    if (!(value.includes("'") && value.includes('`'))) continue;
    const message = `a dotenv file cannot hold ${key} safely: it has both ' and \``;
    throw new CliError('usage', message, { hint: 'use --format shell' });
  }
}

const shellNamePattern = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Matches a part of a word that no shell expands: plain characters, a quoted string or an escaped character. */
const wordPartPattern = /[A-Za-z0-9_./:@%+,=-]+|'([^']*)'|\\([^\n])/y;

const readShellValue: ReadValue = (text, from) => {
  const parts: string[] = [];
  let to = from;
  // This is a loop, because one pattern for the whole word would overflow the stack on millions of parts.
  for (let match = matchAt(wordPartPattern, text, to); match; match = matchAt(wordPartPattern, text, to)) {
    const [whole, quoted, escaped] = match;
    parts.push(quoted ?? escaped ?? whole);
    to += whole.length;
  }
  return text[to] === "'" ? 'this quote is never closed' : { value: parts.join(''), to };
};

/** The shell format: lines that every shell can source. `lineText` throws `usage` for an invalid variable name. */
export const shellFormat: LineFormat = {
  readValue: readShellValue,
  valueText: (value) => (needsNoQuotes(value) ? value : singleQuoted(value)),
  lineText: (key, value) => {
    if (shellNamePattern.test(key)) return `export ${key}=${shellFormat.valueText(value)}`;
    throw new CliError('usage', `a shell variable cannot be called "${key}"`, { hint: invalidNameHint });
  },
};
