/** A quote that is open where the line ends. */
export type Quote = '' | '"' | "'";

/** A command line of bash up to the cursor, its words as the program would get them. */
export interface BashLine {
  /** Words in front of the current one, without the name of the program. */
  readonly before: readonly string[];
  readonly current: string;
  /** How much of the current word, in characters, stands in front of what readline will replace. */
  readonly fixed: number;
  readonly quote: Quote;
  /** The current word is the file of a redirection. */
  readonly isRedirected: boolean;
}

interface Word {
  text: string;
  fixed: number;
  /** `fixed`, as it is again when the quote is closed: then it is replaced too. */
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
 * Splits a line as bash does, as far as words can be told without running anything. Readline replaces what comes behind
 * the last break character (COMP_WORDBREAKS) or open quote, so that is where our part of the current word begins.
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

/** Between double quotes a backslash stands for itself, except in front of a few. */
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

/** `2>` is no word; whatever else stands in front of the sign is one. */
function redirect(scan: Scan): void {
  if (scan.word && !/^\d+$/.test(scan.word.text)) scan.words.push(scan.word);
  scan.word = undefined;
  scan.isRedirecting = true;
}
