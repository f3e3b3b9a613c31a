import type { Redactor } from '../../contract/redactor.ts';
import { lowerCase, readingsOf } from './decoded.ts';

const mask = '***';
/** A shorter one may be part of any word, and is one only where it stands alone. */
const shortest = 6;
/** Of a message made of what a server says. */
const longestQuote = 500;

/** The secrets of one run. Encoded forms need no list: texts are decoded, and searched at every step. */
export function createRedactor(): Redactor {
  const credentials = needleSet(needlesOf);
  const values = needleSet(valueNeedles);
  return {
    hide: (secret) => credentials.add(secret.trim(), 1),
    written: (value) => values.add(value.trim(), shortest),
    redact: (text) => without(text, credentials.needles()),
    quote: (text) => shorten(without(text, [...credentials.needles(), ...values.needles()])),
  };
}

/** What to look for is worked out when something is first shown: many runs show nothing. */
function needleSet(needlesFor: (secret: string) => readonly Needle[]) {
  const known = new Set<string>();
  const fresh: string[] = [];
  const made: Needle[] = [];
  return {
    add: (secret: string, least: number): void => {
      if (secret.length < least || known.has(secret)) return;
      known.add(secret);
      fresh.push(secret);
    },
    needles: (): readonly Needle[] => {
      made.push(...fresh.splice(0).flatMap(needlesFor));
      return made;
    },
  };
}

/** A value that is a word may be part of other words, such as `percentage`. */
const word = /^[a-z_]+$/i;

/** A text to look for, in lower case. */
interface Needle {
  readonly text: string;
  /** Found only where no letter or digit touches it. */
  readonly standsAlone: boolean;
}

function valueNeedles(value: string): readonly Needle[] {
  const [whole, ...encoded] = needlesOf(value);
  return whole ? [{ ...whole, standsAlone: word.test(value) }, ...encoded] : [];
}

function needlesOf(secret: string): readonly Needle[] {
  if (secret.length < shortest) return [{ text: lowerCase(secret), standsAlone: true }];
  // In capitals a text may be longer (`ß`, `SS`). Headers are read byte by byte, whatever was meant.
  const cases = [secret, secret.toUpperCase(), secret.toLowerCase()];
  const forms = [...cases, Buffer.from(secret).toString('latin1'), ...base64Forms(secret)];
  const texts = forms.flatMap((form) => readingsOf(form).map(({ text }) => text));
  return [...new Set(texts)].filter(({ length }) => length >= shortest).map((text) => ({ text, standsAlone: false }));
}

/** What is the same in the base64 of every text that holds the secret, for its three places in a group of three bytes. */
function base64Forms(secret: string): readonly string[] {
  return [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
    const whole = Math.floor((bytes.length * 8) / 6);
    const from = Math.ceil((offset * 8) / 6);
    return (['base64', 'base64url'] as const).map((form) => bytes.toString(form).slice(from, whole));
  });
}

function without(text: string, needles: readonly Needle[]): string {
  // Decoding makes no text longer; most cells of a table are too short.
  if (needles.every((needle) => needle.text.length > text.length)) return text;
  const found = readingsOf(text).flatMap((reading) =>
    needles.flatMap((needle) =>
      placesOf(reading.text, needle).map((at): Range => [reading.from(at), reading.to(at + needle.text.length - 1)]),
    ),
  );
  return found.length === 0 ? text : masked(text, found);
}

type Range = readonly [from: number, to: number];

function placesOf(text: string, { text: needle, standsAlone }: Needle): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + 1)) {
    const touches = /[\p{L}\p{N}_-]/u.test(`${text[at - 1] ?? ''}${text[at + needle.length] ?? ''}`);
    if (!standsAlone || !touches) places.push(at);
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

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > longestQuote ? `${line.slice(0, longestQuote - 1).toWellFormed()}…` : line;
}
