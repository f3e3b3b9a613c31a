import { cellWidth, cutToWidth } from '../output/table/cell-width.ts';
import type { Candidate } from './name-cache.ts';
import type { Offer } from './offer.ts';

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof shells)[number];

export interface TypedWords {
  readonly shell: Shell;
  readonly before: readonly string[];
  readonly current: string;
  /** Only for bash: the number of characters of the current word in front of those that readline replaces. */
  readonly fixed: number;
  /** Only for bash: the quote that is open at the cursor. */
  readonly quote: string;
  /** Only for bash: true when the current word is the target of a redirection. */
  readonly isRedirected: boolean;
  /** Only for bash: true when it lists candidates without inserting one, and the terminal width. */
  readonly isListing: boolean;
  readonly width: number;
}

/**
 * Reads the arguments of the completion scripts: the words up to the cursor. Bash passes its line up to there, the
 * part that readline replaces, COMP_TYPE and the width. Fish keeps the quotes of the last word. PowerShell adds a dot to
 * it, because PowerShell before 7.3 drops empty arguments. Undefined for an unknown shell.
 */
export function readTypedWords(name: string | undefined, given: readonly string[]): TypedWords | undefined {
  const shell = shells.find((one) => one === name);
  if (!shell) return undefined;
  if (shell === 'bash') return fromBash(given);
  const last = given.at(-1) ?? '';
  return { ...plainContext, shell, before: given.slice(0, -1), current: currentIn(shell, last) };
}

const plainContext = { fixed: 0, quote: '', isRedirected: false, isListing: false, width: 80 } as const;

/** A redirection, where there is one, and a word with its quotes. */
const bashWord = /(\d*[<>]+\s*)?((?:'[^']*'?|"(?:\\.?|[^"\\])*"?|\\.?|[^\s'"\\<>])*)/gsu;

function fromBash([line = '', replaced = '', type = '9', columns = '']: readonly string[]): TypedWords {
  // Nothing is expanded: the values of `$(…)` and `$NAME` are not known here.
  const words = [...line.matchAll(bashWord)].filter(([match]) => match !== '');
  const isInWord = words.some(({ index, 0: match }) => index + match.length === line.length);
  const [, redirection, current = ''] = (isInWord && words.pop()) || [];
  // After `sudo` bash passes only `=` or `:` if nothing follows it yet. The script of 0.1.0 passes COMP_WORDBREAKS.
  const isKnown = line.endsWith(replaced) && !/^[=:]$/.test(replaced);
  const ending = isKnown ? replaced : (/@?[^=:@]*$/.exec(current)?.[0] ?? '');
  const before = words.filter(([, redirected]) => redirected === undefined).map(([, , word = '']) => unquoted(word));
  return {
    shell: 'bash',
    before: before.slice(1),
    current: unquoted(current),
    fixed: unquoted(current.slice(0, current.length - ending.length)).length,
    quote: /["']/.exec(current.replace(/'[^']*'|"(?:\\.|[^"\\])*"|\\./gsu, ''))?.[0] ?? '',
    isRedirected: redirection !== undefined,
    // ?, ! and @: a second TAB, or show-all-if-ambiguous and show-all-if-unmodified.
    isListing: ['63', '33', '64'].includes(type),
    width: Number(columns) || plainContext.width,
  };
}

function currentIn(shell: Shell, word: string): string {
  if (shell === 'fish') return unquoted(word, 'fish');
  return shell === 'powershell' ? word.replace(/\.$/, '').replace(/^["']/, '') : word;
}

/** Characters that a backslash escapes between quotes: in bash none between single quotes. */
const escapes = {
  bash: { parts: /'([^']*)'?|"((?:\\.?|[^"\\])*)"?|\\(.?)|([^\\'"]+)/gsu, single: /(?!)/g, double: /\\(["$`\\])/g },
  fish: {
    parts: /'((?:\\.?|[^'\\])*)'?|"((?:\\.?|[^"\\])*)"?|\\(.?)|([^\\'"]+)/gsu,
    single: /\\([\\'])/g,
    double: /\\(["\\$])/g,
  },
};

function unquoted(word: string, shell: keyof typeof escapes = 'bash'): string {
  const { parts, single, double } = escapes[shell];
  return [...word.matchAll(parts)]
    .map(([, inSingle, inDouble, escaped, bare]) => {
      return inSingle?.replace(single, '$1') ?? inDouble?.replace(double, '$1') ?? escaped ?? bare ?? '';
    })
    .join('');
}

/**
 * The answer for a completion script. Line 1: `names`, `files`, `folders` or `program`; ` nospace` is added when the
 * argument continues. Line 2: the prefix of every candidate. Then one candidate a line.
 */
export function answerFor(typed: TypedWords, offer: Offer): string {
  if (typed.isRedirected) return answerLines('files', '', []);
  if (offer.kind !== 'names') return answerLines(offer.kind, offer.prefix, []);
  const offered = offer.candidates.filter(({ value }) => !offer.taken.includes(value));
  const candidates = offer.isOpen
    ? offered.map((one) => (isOpen(one.value) ? one : { ...one, value: `${one.value}=` }))
    : offered;
  const kind = candidates.length > 0 && candidates.every(({ value }) => isOpen(value)) ? 'names nospace' : 'names';
  if (typed.shell === 'bash') return answerLines(kind, '', bashWords(typed, offer, candidates));
  if (typed.shell === 'zsh') return answerLines(kind, offer.prefix, candidates.map(zshWord));
  if (typed.shell === 'fish') {
    const words = candidates.map(({ value, about }) => `${offer.prefix}${value}\t${about}`);
    return answerLines(kind, offer.prefix, words);
  }
  const words = begunBy(offer.text, candidates).map((one) => powershellWord(offer.prefix, one));
  return answerLines(kind, offer.prefix, words);
}

function answerLines(kind: string, prefix: string, candidates: readonly string[]): string {
  return `${[kind, prefix, ...candidates].join('\n')}\n`;
}

function isOpen(value: string): boolean {
  return /[=/:]$/.test(value);
}

function begunBy(text: string, candidates: readonly Candidate[]): readonly Candidate[] {
  const exact = candidates.filter(({ value }) => value.startsWith(text));
  if (exact.length > 0) return exact;
  // Without an exact match, candidates may differ in case.
  const close = candidates.filter(({ value }) => value.toLowerCase().startsWith(text.toLowerCase()));
  // The shell replaces the typed text with the common prefix, which must not be shorter.
  return close.every(({ value }) => value.startsWith(close[0]?.value.slice(0, text.length) ?? '')) ? close : [];
}

function bashWords(
  { fixed, quote, isListing, width }: TypedWords,
  { prefix, text }: Offer,
  candidates: readonly Candidate[],
): readonly string[] {
  const written = begunBy(text, candidates)
    .filter(({ value }) => !(quote === '"' && value.includes('!')))
    .map(({ value, about }) => ({ about, word: escaped(`${prefix}${value}`.slice(fixed), quote) }));
  if (!isListing || written.length < 2) return written.map(({ word }) => word);
  const widest = Math.max(...written.map(({ word }) => cellWidth(word)));
  // One very long name must not leave the others without their description.
  const column = Math.min(widest, Math.floor(width / 2));
  return written.map(({ word, about }) => {
    const left = column - cellWidth(word);
    return about === '' || left < 0 ? word : `${cutToWidth(`${word}${' '.repeat(left)}  (${about}`, width - 3)})`;
  });
}

function escaped(word: string, quote: string): string {
  // Readline closes an open quote itself.
  if (quote === '"') return word.replace(/["$`\\]/g, '\\$&');
  if (quote === "'") return word.replaceAll("'", `'\\''`);
  return word.replace(/[\s"'`\\$&|;<>()*?[\]{}!#~^]/g, '\\$&');
}

function zshWord({ value, about }: Candidate): string {
  // The form `_describe` reads.
  const word = value.replace(/[\\:]/g, '\\$&');
  return about === '' ? word : `${word}:${about}`;
}

function powershellWord(prefix: string, { value, about }: Candidate): string {
  // The text to insert, the text to list, and the description.
  const word = `${prefix}${value}`;
  const written = /^[\w./=+:-]+$/.test(word) ? word : `'${word.replace(/['‘’]/g, '$&$&')}'`;
  return `${written}\t${value}\t${about || value}`;
}
