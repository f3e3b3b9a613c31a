/** A quote that is open where the line ends. */
export type Quote = '' | '"' | "'";

/** A bash command line up to the cursor, split into the words the program would get. */
export interface BashLine {
  /** Words in front of the current one, without the name of the program. */
  readonly before: readonly string[];
  readonly current: string;
  /** Number of characters of the current word in front of the part that readline replaces. */
  readonly fixed: number;
  readonly quote: Quote;
  /** True when the current word is the target of a redirection. */
  readonly isRedirected: boolean;
}

interface Word {
  text: string;
  fixed: number;
  /** The value of `fixed` outside the open quote; used again when the quote closes. */
  fixedOutside: number;
  isRedirected: boolean;
}

interface Scan {
  readonly words: Word[];
  word: Word | undefined;
  quote: Quote;
  isRedirecting: boolean;
}

/**
 * Splits a line as bash does, without expanding anything. Readline replaces what follows the last break character
 * (COMP_WORDBREAKS) or open quote, so our part of the current word starts there.
 */
export function readBashLine(line: string, breaks: string): BashLine {
  const scan: Scan = { words: [], word: undefined, quote: '', isRedirecting: false };
  const characters = [...line];
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? '';
    const isEscape = character === '\\' && scan.quote !== "'" && at + 1 < characters.length;
    if (isEscape) at += 1;
    if (isEscape) wordOf(scan).text += unescaped(characters[at] ?? '', scan.quote);
    else take(scan, character, breaks);
  }
  const current = scan.word ?? { text: '', fixed: 0, isRedirected: scan.isRedirecting };
  const before = scan.words.filter(({ isRedirected }) => !isRedirected).map(({ text }) => text);
  return {
    before: before.slice(1),
    current: current.text,
    fixed: current.fixed,
    quote: scan.quote,
    isRedirected: current.isRedirected,
  };
}

function wordOf(scan: Scan): Word {
  scan.word ??= { text: '', fixed: 0, fixedOutside: 0, isRedirected: scan.isRedirecting };
  scan.isRedirecting = false;
  return scan.word;
}

function take(scan: Scan, character: string, breaks: string): void {
  if (scan.quote !== '' || character === '"' || character === "'") quoted(scan, character);
  else if (/\s/.test(character)) endWord(scan);
  else if (character === '<' || character === '>') redirect(scan);
  else plain(scan, character, breaks);
}

function plain(scan: Scan, character: string, breaks: string): void {
  const word = wordOf(scan);
  word.text += character;
  if (breaks.includes(character)) word.fixed = word.text.length;
}

/** Between double quotes a backslash escapes only a few characters. */
function unescaped(character: string, quote: Quote): string {
  return quote === '"' && !/["$`\\\n]/.test(character) ? `\\${character}` : character;
}

function quoted(scan: Scan, character: string): void {
  const word = wordOf(scan);
  if (scan.quote === character) {
    scan.quote = '';
    word.fixed = word.fixedOutside;
  } else if (scan.quote !== '') word.text += character;
  else if (character === '"' || character === "'") {
    scan.quote = character;
    word.fixedOutside = word.fixed;
    word.fixed = word.text.length;
  }
}

function endWord(scan: Scan): void {
  if (scan.word) scan.words.push(scan.word);
  scan.word = undefined;
}

/** `2>` is a redirection, not a word. */
function redirect(scan: Scan): void {
  if (scan.word && !/^\d+$/.test(scan.word.text)) scan.words.push(scan.word);
  scan.word = undefined;
  scan.isRedirecting = true;
}
