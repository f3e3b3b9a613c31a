import { wrapWords } from '../../src/output/table/cell-width.ts';

// Writes mdoc(7), the language of man pages: each function returns whole lines.

/** The date of a page is that of the newest release, `2026-11-21`, so that pages do not change from day to day. */
export function opening(name: string, section: 1 | 7, about: string, released: string): readonly string[] {
  const day = new Date(released).toLocaleDateString('en-US', { timeZone: 'UTC', dateStyle: 'long' });
  return [
    '.\\" Written by `npm run docs`.',
    `.Dd ${day}`,
    `.Dt ${name.toUpperCase()} ${section}`,
    '.Os',
    '.Sh NAME',
    `.Nm ${name}`,
    `.Nd ${macroText(lowered(about))}`,
  ];
}

/** Each sentence on its own line, as mdoc requires. */
export function mdocParagraph(text: string): readonly string[] {
  return readable(text)
    .split(/(?<=[.!?]) +/)
    .flatMap((sentence) => wrapWords(sentence, 78))
    .map(atLineStart);
}

export function tagList(
  rows: readonly (readonly [tag: string, text: string])[],
  spacing: 'roomy' | 'compact' = 'roomy',
): readonly string[] {
  if (rows.length === 0) return [];
  const items = rows.flatMap(([tag, text]) => [`.It ${tag}`, ...mdocParagraph(text)]);
  return [`.Bl -tag -width Ds${spacing === 'compact' ? ' -compact' : ''}`, ...items, '.El'];
}

export function literal(lines: readonly string[]): readonly string[] {
  return ['.Bd -literal -offset indent', ...lines.map((line) => atLineStart(exact(line))), '.Ed'];
}

export function flagMacros(flags: string): string {
  const [, spelled = '', value] = /^([^<]*?)(?: <(.*)>)?$/.exec(flags) ?? [];
  const names = spelled.split(', ').map((name) => `Fl ${exact(name.slice(1))}`);
  return [names.join(' , '), ...(value === undefined ? [] : [`Ar ${argument(value)}`])].join(' ');
}

/** The long flags as a sentence. */
export function longFlags(names: readonly string[]): readonly string[] {
  return names.map((name, index) => `.Fl ${exact(name.slice(1))} ${index < names.length - 1 ? ',' : '.'}`);
}

export function argumentMacros(shown: string): string {
  const inner = shown.slice(1, -1);
  const isMany = inner.endsWith('...');
  const name = `Ar ${argument(isMany ? inner.slice(0, -3) : inner)}${isMany ? ' ...' : ''}`;
  return shown.startsWith('[') ? `Op ${name}` : name;
}

/** Literal text: a command, a variable. */
export function typedMacros(text: string): string {
  return `Cm ${text.split(' ').map(argument).join(' ')}`;
}

export function macroText(text: string): string {
  return readable(text)
    .split(' ')
    .map((word) => (isSpecial(word) ? `\\&${word}` : word))
    .join(' ')
    .replaceAll('"', '\\(dq');
}

function argument(text: string): string {
  const escaped = exact(text).replaceAll('"', '\\(dq');
  if (isSpecial(text)) return `\\&${escaped}`;
  return text.includes(' ') ? `"${escaped}"` : escaped;
}

function isSpecial(word: string): boolean {
  // mdoc would read it as a macro or as punctuation.
  return /^([A-Z%][A-Za-z]|[.,:;()[\]?!|])$/.test(word);
}

function lowered(text: string): string {
  const bare = text.replace(/\.$/, '');
  return /^[A-Z][a-z]/.test(bare) ? `${bare.charAt(0).toLowerCase()}${bare.slice(1)}` : bare;
}

/** Quotes for backticks; only the hyphen of a flag is a minus. */
function readable(text: string): string {
  return escaped(text)
    .replace(/(?<![\p{L}\p{N}])-/gu, '\\-')
    .replaceAll('~', '\\(ti')
    .replace(/`([^`]*)`/g, '\\(oq$1\\(cq');
}

function exact(text: string): string {
  return escaped(text)
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti');
}

function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replace(/\P{ASCII}/gu, (char) => `\\[u${char.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}]`);
}

function atLineStart(line: string): string {
  // A full stop or a quote at the beginning would make the line a command.
  return /^[.']/.test(line) ? `\\&${line}` : line;
}
