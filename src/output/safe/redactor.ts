import type { Redactor } from '../../contract/redactor.ts';
import { oneLine } from '../../contract/values/one-line.ts';
import { encodedForms, spacesJoined } from './encoded-forms.ts';

const mask = '***';
/** A shorter one may be part of any word, and is one only where it stands alone. */
const shortest = 6;
/** Of a message made of what a server says. */
const longestQuote = 500;
/** A value that is a word may be part of other words, such as `percentage`. */
const word = /^[a-z_]+$/i;

/** The secrets of one run, searched for in every form in which services are known to repeat what they were sent. */
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
  /** No form of it is shorter. */
  readonly least: number;
  readonly plain: string;
  /** Whether its plain form is found only where no letter or digit touches it. */
  readonly standsAlone: boolean;
  /** Made when the first text comes that may hold one of them: many runs show nothing. */
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

/** Small letters, and blanks for white space. Every character keeps its place: where the other form is longer, it stays. */
function folded(text: string): string {
  const blank = text.replace(/\s/g, ' ');
  const upper = blank.toUpperCase();
  const lower = upper.toLowerCase();
  if (upper.length !== text.length || lower.length !== text.length) return blank.replace(/./gu, smallLetter);
  // A sigma is written otherwise where a word ends.
  return lower.replaceAll('ς', 'σ');
}

function smallLetter(character: string): string {
  const forms = [character.toUpperCase().toLowerCase(), character.toLowerCase()];
  return forms.find(({ length }) => length === character.length) ?? character;
}

function without(text: string, secrets: readonly Secret[]): string {
  // Most cells of a table are too short.
  const possible = secrets.filter(({ least }) => least <= text.length);
  if (possible.length === 0) return text;
  const searched = folded(text);
  const found = possible.flatMap(({ plain, standsAlone, forms }) =>
    // Nearly every cell of a long list holds none, so that nothing is made for it.
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
