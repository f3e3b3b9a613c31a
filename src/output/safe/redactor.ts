import type { Redactor } from '../../contract/redactor.ts';
import { mask } from '../../contract/values/mask.ts';
import { oneLine } from '../../contract/values/one-line.ts';
import { encodedForms, spacesJoined } from './encoded-forms.ts';

/** A shorter secret may be part of a word, so it counts only as a whole word. */
const shortest = 6;
/** Characters of a quoted message of the service. */
const longestQuote = 500;
/** A value that is a word may be part of longer words, such as `percentage`. */
const word = /^[a-z_]+$/i;

/** Stores the secrets of one run and finds them in every form in which services are known to repeat them. */
export function createRedactor(): Redactor {
  const credentials = new Map<string, Secret>();
  const values = new Map<string, Secret>();
  return {
    hide: (secret) => learn(credentials, secret.trim(), !isLong(secret.trim())),
    written: (value) => {
      if (isLong(value.trim())) learn(values, value.trim(), word.test(value.trim()));
    },
    redact: (text) => without(text, [...credentials.values()]),
    quote: (text) => oneLine(without(text, [...credentials.values(), ...values.values()]), longestQuote),
  };
}

interface Secret {
  /** Length of its shortest form. */
  readonly least: number;
  readonly plain: string;
  /** True if the plain form counts only as a whole word. */
  readonly standsAlone: boolean;
  /** Computed for the first text that may contain one: many runs show nothing. */
  readonly forms: () => readonly string[];
}

function learn(secrets: Map<string, Secret>, text: string, standsAlone: boolean): void {
  if (text === '' || secrets.has(text)) return;
  const plain = folded(text);
  let made: readonly string[] | undefined;
  const encoded = () => (isLong(text) ? encodedForms(text).map(folded).filter(isLong) : []);
  const forms = () => (made ??= [...new Set([plain, ...encoded()])]);
  secrets.set(text, { least: spacesJoined(text).length, plain, standsAlone, forms });
}

function isLong({ length }: string): boolean {
  return length >= shortest;
}

/** Lower case, with blanks for white space. Characters keep their positions: one whose lower case is longer stays. */
function folded(text: string): string {
  const blank = text.replace(/\s/g, ' ');
  const upper = blank.toUpperCase();
  const lower = upper.toLowerCase();
  if (upper.length !== text.length || lower.length !== text.length) return blank.replace(/./gu, smallLetter);
  // The final sigma has its own letter.
  return lower.replaceAll('ς', 'σ');
}

function smallLetter(character: string): string {
  const forms = [character.toUpperCase().toLowerCase(), character.toLowerCase()];
  return forms.find(({ length }) => length === character.length) ?? character;
}

function without(text: string, secrets: readonly Secret[]): string {
  // Most table cells are shorter than any secret.
  const possible = secrets.filter(({ least }) => least <= text.length);
  if (possible.length === 0) return text;
  const searched = folded(text);
  const found = possible.flatMap(({ plain, standsAlone, forms }) =>
    // The forms are tested first, because nearly every cell of a long list has none.
    forms()
      .filter((form) => searched.includes(form))
      .flatMap((form) => rangesOf(searched, form, standsAlone && form === plain)),
  );
  return found.length === 0 ? text : masked(text, found);
}

type Range = readonly [from: number, to: number];

function rangesOf(text: string, form: string, standsAlone: boolean): readonly Range[] {
  const places: Range[] = [];
  for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1)) {
    const end = at + form.length;
    const touches = /[\p{L}\p{N}_-]/u.test(`${text[at - 1] ?? ''}${text[end] ?? ''}`);
    if (!standsAlone || !touches) places.push([at, end]);
  }
  return places;
}

function masked(text: string, ranges: readonly Range[]): string {
  let result = '';
  let done = 0;
  for (const [from, to] of ranges.toSorted((one, other) => one[0] - other[0])) {
    if (from >= done) result += `${text.slice(done, from)}${mask}`;
    done = Math.max(done, to);
  }
  return result + text.slice(done);
}
