import { cellWidth, cutToWidth } from '../output/table/cell-width.ts';
import type { Candidate } from './candidate.ts';
import type { Offer } from './offer.ts';
import type { TypedWords } from './typed-words.ts';

/**
 * The answer for a completion script. Line 1: `names`, `files`, `folders` or `program`; ` nospace` is added when the
 * argument continues. Line 2: the prefix of every candidate. Then one candidate a line.
 */
export function answerFor(typed: TypedWords, offer: Offer): string {
  if (typed.isRedirected) return lines('files', '', []);
  if (offer.kind !== 'names') return lines(offer.kind, offer.prefix, []);
  const offered = offer.candidates.filter(({ value }) => !offer.taken.includes(value));
  const candidates = offer.isOpen
    ? offered.map((one) => (isOpen(one.value) ? one : { ...one, value: `${one.value}=` }))
    : offered;
  const kind = candidates.length > 0 && candidates.every(({ value }) => isOpen(value)) ? 'names nospace' : 'names';
  if (typed.shell === 'bash') return lines(kind, '', bashWords(typed, offer, candidates));
  if (typed.shell === 'zsh') return lines(kind, offer.prefix, candidates.map(zshWord));
  if (typed.shell === 'fish') {
    const words = candidates.map(({ value, about }) => `${offer.prefix}${value}\t${about}`);
    return lines(kind, offer.prefix, words);
  }
  const words = begunBy(offer.text, candidates).map((one) => powershellWord(offer.prefix, one));
  return lines(kind, offer.prefix, words);
}

function lines(kind: string, prefix: string, candidates: readonly string[]): string {
  return `${[kind, prefix, ...candidates].join('\n')}\n`;
}

function isOpen(value: string): boolean {
  return /[=/:]$/.test(value);
}

function begunBy(text: string, candidates: readonly Candidate[]): readonly Candidate[] {
  const exact = candidates.filter(({ value }) => value.startsWith(text));
  if (exact.length > 0) return exact;
  // Those that match it in another case.
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
