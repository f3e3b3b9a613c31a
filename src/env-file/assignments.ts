import { type EnvFile, envFileError, type FileEntry, refuseDuplicates } from './entry.ts';

interface Assignment extends FileEntry {
  readonly from: number;
  readonly to: number;
}

/** Reads the value at a position of a text; `to` is its end. A string describes a mistake. */
export type ReadValue = (text: string, from: number) => { readonly value: string; readonly to: number } | string;

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
export function replaceValues(
  text: string,
  assignments: readonly Assignment[],
  values: ReadonlyMap<string, string>,
  format: LineFormat,
): string {
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

export interface LineFormat {
  readonly read: ReadValue;
  readonly value: (value: string) => string;
  readonly line: (key: string, value: string) => string;
}

export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** True if every reader of such files and every shell reads the bare value as it is. */
export function needsNoQuotes(value: string): boolean {
  return /^[A-Za-z0-9_./:@%+,-]*$/.test(value);
}
