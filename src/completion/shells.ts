import { cellWidth, cutToWidth } from '../output/table/cell-width.ts';
import type { Candidate } from './name-cache.ts';
import type { Offer } from './offer.ts';

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof shells)[number];

export interface TypedWords {
  readonly shell: Shell;
  readonly before: readonly string[];
  readonly currentWord: string;
  /** Only for bash: the number of characters of the current word that readline keeps. Readline replaces the rest. */
  readonly keptLength: number;
  /** Only for bash: the quote that is open at the cursor. */
  readonly quote: string;
  /** Only for bash: true when the current word is the target of a redirection. */
  readonly isRedirected: boolean;
  /** Only for bash: true when bash lists the candidates and inserts none. */
  readonly isListing: boolean;
  /** Only for bash: the columns of the terminal. */
  readonly width: number;
}

/**
 * Reads the words up to the cursor from the arguments of a completion script; undefined for an unknown shell.
 * Bash passes its line up to the cursor, the part that readline replaces, COMP_TYPE and the width. Fish keeps the
 * quotes of the last word. PowerShell adds a dot to the last word, because before 7.3 it drops empty arguments.
 */
export function readTypedWords(name: string | undefined, args: readonly string[]): TypedWords | undefined {
  const shell = shells.find((knownShell) => knownShell === name);
  if (!shell) return undefined;
  if (shell === 'bash') return readBashLine(args);
  const lastWord = args.at(-1) ?? '';
  return { ...defaultBashState, shell, before: args.slice(0, -1), currentWord: readCurrentWord(shell, lastWord) };
}

const defaultBashState = { keptLength: 0, quote: '', isRedirected: false, isListing: false, width: 80 } as const;

/** Matches a word with its quotes, and the redirection before it, if any. */
const bashWordPattern = /(\d*[<>]+\s*)?((?:'[^']*'?|"(?:\\.?|[^"\\])*"?|\\.?|[^\s'"\\<>])*)/gsu;

function readBashLine([line = '', replacedText = '', type = '9', columns = '']: readonly string[]): TypedWords {
  // `$(…)` and `$NAME` stay as they were typed, because their values are not known here.
  const words = [...line.matchAll(bashWordPattern)].filter(([match]) => match !== '');
  const isCursorInWord = words.some(({ index, 0: match }) => index + match.length === line.length);
  const [, redirection, current = ''] = (isCursorInWord && words.pop()) || [];
  // After `sudo` bash may pass only `=` or `:`, and the script of 0.1.0 passes COMP_WORDBREAKS: both are unusable.
  const isReplacedUsable = line.endsWith(replacedText) && !/^[=:]$/.test(replacedText);
  const replacedPart = isReplacedUsable ? replacedText : (/@?[^=:@]*$/.exec(current)?.[0] ?? '');
  const wordsBefore = words.flatMap(([, redirected, word = '']) => (redirected === undefined ? [unquote(word)] : []));
  return {
    shell: 'bash',
    before: wordsBefore.slice(1),
    currentWord: unquote(current),
    keptLength: unquote(current.slice(0, current.length - replacedPart.length)).length,
    quote: /["']/.exec(current.replace(/'[^']*'|"(?:\\.|[^"\\])*"|\\./gsu, ''))?.[0] ?? '',
    isRedirected: redirection !== undefined,
    // Bash only lists for `?`, `!` and `@`: a second TAB, show-all-if-ambiguous and show-all-if-unmodified.
    isListing: ['63', '33', '64'].includes(type),
    width: Number(columns) || defaultBashState.width,
  };
}

function readCurrentWord(shell: Shell, word: string): string {
  if (shell === 'fish') return unquote(word, 'fish');
  return shell === 'powershell' ? word.replace(/\.$/, '').replace(/^["']/, '') : word;
}

/** By shell: patterns for the parts of a word, and for escapes in quotes (in bash only in double quotes). */
const escapePatterns = {
  bash: { parts: /'([^']*)'?|"((?:\\.?|[^"\\])*)"?|\\(.?)|([^\\'"]+)/gsu, single: /(?!)/g, double: /\\(["$`\\])/g },
  fish: {
    parts: /'((?:\\.?|[^'\\])*)'?|"((?:\\.?|[^"\\])*)"?|\\(.?)|([^\\'"]+)/gsu,
    single: /\\([\\'])/g,
    double: /\\(["\\$])/g,
  },
};

function unquote(word: string, shell: keyof typeof escapePatterns = 'bash'): string {
  const { parts, single, double } = escapePatterns[shell];
  return [...word.matchAll(parts)]
    .map(([, inSingle, inDouble, escaped, bare]) => {
      return inSingle?.replace(single, '$1') ?? inDouble?.replace(double, '$1') ?? escaped ?? bare ?? '';
    })
    .join('');
}

/**
 * Returns the answer for a completion script. Line 1 is `names`, `files`, `folders` or `program`; ` nospace` is added
 * when the argument continues. Line 2 is the prefix of every candidate. Each further line is one candidate.
 */
export function answerFor(typedWords: TypedWords, offer: Offer): string {
  const { shell, isRedirected } = typedWords;
  const { prefix } = offer;
  if (isRedirected) return answerText('files', '', []);
  if (offer.kind !== 'names') return answerText(offer.kind, prefix, []);
  const candidates = offer.candidates
    .filter(({ value }) => !offer.taken.includes(value))
    .map((one) => (offer.isOpen && !endsWithSeparator(one.value) ? { ...one, value: `${one.value}=` } : one));
  const isContinued = candidates.length > 0 && candidates.every(({ value }) => endsWithSeparator(value));
  const kind = isContinued ? 'names nospace' : 'names';
  if (shell === 'bash') return answerText(kind, '', bashTexts(typedWords, offer, candidates));
  const offered = shell === 'powershell' ? candidatesBeginningWith(offer.text, candidates) : candidates;
  const textOf = { zsh: zshText, fish: fishText, powershell: powershellText }[shell];
  const texts = offered.map((one) => textOf(one, prefix));
  return answerText(kind, prefix, texts);
}

function answerText(kind: string, prefix: string, candidates: readonly string[]): string {
  return `${[kind, prefix, ...candidates].join('\n')}\n`;
}

function endsWithSeparator(value: string): boolean {
  return /[=/:]$/.test(value);
}

function candidatesBeginningWith(text: string, candidates: readonly Candidate[]): readonly Candidate[] {
  const exactMatches = candidates.filter(({ value }) => value.startsWith(text));
  if (exactMatches.length > 0) return exactMatches;
  // Without an exact match, candidates that differ only in case are offered.
  const close = candidates.filter(({ value }) => value.toLowerCase().startsWith(text.toLowerCase()));
  // The shell replaces the typed text with the common prefix of all candidates, so the prefix must not be shorter.
  return close.every(({ value }) => value.startsWith(close[0]?.value.slice(0, text.length) ?? '')) ? close : [];
}

function bashTexts(typedWords: TypedWords, { prefix, text }: Offer, candidates: readonly Candidate[]) {
  const { keptLength, quote, isListing, width } = typedWords;
  const matchingWords = candidatesBeginningWith(text, candidates)
    .filter(({ value }) => !(quote === '"' && value.includes('!')))
    .map(({ value, about }) => ({ about, word: escapeWord(`${prefix}${value}`.slice(keptLength), quote) }));
  if (!isListing || matchingWords.length < 2) return matchingWords.map(({ word }) => word);
  const widestWidth = Math.max(...matchingWords.map(({ word }) => cellWidth(word)));
  // One very long name must not leave the other names without descriptions, so a column has at most half the width.
  const columnWidth = Math.min(widestWidth, Math.floor(width / 2));
  return matchingWords.map(({ word, about }) => {
    const gap = columnWidth - cellWidth(word);
    return about === '' || gap < 0 ? word : `${cutToWidth(`${word}${' '.repeat(gap)}  (${about}`, width - 3)})`;
  });
}

function escapeWord(word: string, quote: string): string {
  // Readline closes an open quote itself, so no quote is added.
  if (quote === '"') return word.replace(/["$`\\]/g, '\\$&');
  if (quote === "'") return word.replaceAll("'", `'\\''`);
  return word.replace(/[\s"'`\\$&|;<>()*?[\]{}!#~^]/g, '\\$&');
}

function zshText({ value, about }: Candidate): string {
  // `_describe` ends the value at the first colon, so the colons of the value are escaped.
  const word = value.replace(/[\\:]/g, '\\$&');
  return about === '' ? word : `${word}:${about}`;
}

function fishText({ value, about }: Candidate, prefix: string): string {
  return `${prefix}${value}\t${about}`;
}

function powershellText({ value, about }: Candidate, prefix: string): string {
  // The columns are the text to insert, the text to list and the description.
  const word = `${prefix}${value}`;
  const insertedText = /^[\w./=+:-]+$/.test(word) ? word : `'${word.replace(/['‘’]/g, '$&$&')}'`;
  return `${insertedText}\t${value}\t${about || value}`;
}
