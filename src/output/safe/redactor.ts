import type { Redactor } from '../../contract/host.ts';
import { once } from '../../contract/values/once.ts';
import { mask, oneLine } from '../../contract/values/text.ts';
import { unicodeEscaped } from '../../json/write.ts';

/** A shorter secret may be part of a word, so it counts only as a whole word. */
const minWordLength = 6;
/** Characters of a quoted message of the service. */
const longestQuote = 500;
/** A value that is a word may be part of longer words, such as `percentage`. */
const wordPattern = /^[a-z_]+$/i;

/** Stores the secrets of one run and finds them in every form in which services are known to repeat them. */
export function createRedactor(): Redactor {
  const credentials = new Map<string, Secret>();
  const values = new Map<string, Secret>();
  return {
    hide: (secret) => addSecret(credentials, secret.trim(), !isLong(secret.trim())),
    written: (value) => {
      if (isLong(value.trim())) addSecret(values, value.trim(), wordPattern.test(value.trim()));
    },
    redact: (text) => redactSecrets(text, [...credentials.values()]),
    quote: (text) => oneLine(redactSecrets(text, [...credentials.values(), ...values.values()]), longestQuote),
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

function addSecret(secrets: Map<string, Secret>, text: string, standsAlone: boolean): void {
  if (text === '' || secrets.has(text)) return;
  const plain = foldCase(text);
  const encoded = () => (isLong(text) ? encodedForms(text).map(foldCase).filter(isLong) : []);
  const forms = once(() => [...new Set([plain, ...encoded()])]);
  secrets.set(text, { least: spacesJoined(text).length, plain, standsAlone, forms });
}

function isLong({ length }: string): boolean {
  return length >= minWordLength;
}

function foldCase(text: string): string {
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

function redactSecrets(text: string, secrets: readonly Secret[]): string {
  // Most table cells are shorter than any secret.
  const possible = secrets.filter(({ least }) => least <= text.length);
  if (possible.length === 0) return text;
  const searched = foldCase(text);
  const found = possible.flatMap(({ plain, standsAlone, forms }) =>
    // The forms are tested first, because nearly every cell of a long list has none.
    forms()
      .filter((form) => searched.includes(form))
      .flatMap((form) => rangesOf(searched, form, standsAlone && form === plain)),
  );
  return found.length === 0 ? text : maskRanges(text, found);
}

type Range = readonly [from: number, to: number];

function rangesOf(text: string, form: string, standsAlone: boolean): readonly Range[] {
  const ranges: Range[] = [];
  for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1)) {
    const end = at + form.length;
    const touches = /[\p{L}\p{N}_-]/u.test(`${text[at - 1] ?? ''}${text[end] ?? ''}`);
    if (!standsAlone || !touches) ranges.push([at, end]);
  }
  return ranges;
}

function maskRanges(text: string, ranges: readonly Range[]): string {
  let result = '';
  let done = 0;
  for (const [from, to] of ranges.toSorted((one, other) => one[0] - other[0])) {
    if (from >= done) result += `${text.slice(done, from)}${mask}`;
    done = Math.max(done, to);
  }
  return result + text.slice(done);
}

type Encode = (text: string) => string;

/** Characters that libraries do not encode in an address: RFC 3986; Python's `quote`; a segment and a path of Go. */
const leftInAddress = ['', '/', '$&+=:@', '$&+,/:;=@'];

/** HTML entities besides `&`, `<` and `>`; each line is the choice of one or more libraries. */
const entities: readonly Readonly<Record<string, string>>[] = [
  {},
  { '"': '&quot;' },
  { '"': '&quot;', "'": '&#39;' },
  { '"': '&quot;', "'": '&#x27;' },
  { '"': '&quot;', "'": '&#039;' },
  { '"': '&quot;', "'": '&apos;' },
  { '"': '&quot;', "'": '&#39;', '/': '&#47;' },
  { '"': '&quot;', "'": '&#x27;', '/': '&#x2F;' },
  { '"': '&quot;', "'": '&#x27;', '=': '&#x3D;', '`': '&#x60;' },
  { '"': '&quot;', "'": '&#39;', '=': '&#x3D;', '`': '&#x60;', '/': '&#x2F;' },
  { '"': '&#34;', "'": '&#39;' },
  { '"': '&#34;', "'": '&#39;', '+': '&#43;' },
  { '"': '&#34;', "'": '&#39;', '<': '&#60;', '>': '&#62;' },
];

/** The encodings of libraries for addresses, JSON and HTML. */
const encodings: readonly Encode[] = [
  encodeURI,
  encodeURIComponent,
  ...leftInAddress.map((left) => (text: string) => percentEncoded(text, left)),
  (text) => percentEncoded(text).replaceAll('%20', '+'),
  asForm,
  slashesEscaped,
  json,
  (text) => slashesEscaped(json(text)),
  (text) => inAscii(json(text)),
  (text) => slashesEscaped(inAscii(json(text))),
  (text) => json(text).replace(/[<>&\u2028\u2029]/g, unicodeEscaped),
  (text) => json(text).replace(/[<>&='\u2028\u2029]/g, unicodeEscaped),
  (text) =>
    inAscii(
      json(text)
        .replaceAll('\\"', '"')
        .replace(/[<>&'"+`]/g, unicodeEscaped),
    ),
  unicodeEscaped,
  ...entities.map((own) => (text: string) => html(text, own)),
];

/** Encodings that occur nested. */
const nestedEncodings: readonly Encode[] = [encodeURIComponent, asForm, json, (text) => html(text)];

function encodedForms(secret: string): readonly string[] {
  const text = secret.toWellFormed();
  // Upper case may be longer (`ß`, `SS`), and headers are read byte by byte.
  const plain = [text, text.toUpperCase(), text.toLowerCase(), Buffer.from(text).toString('latin1')];
  const encoded = [...new Set([text, spacesJoined(text)])].flatMap((form) => [
    ...encodings.map((encode) => encode(form)),
    ...nestedEncodings.flatMap((outer) => nestedEncodings.map((inner) => outer(inner(form)))),
  ]);
  const base64 = base64Forms(text);
  return [...plain, ...plain.map(spacesJoined), ...encoded, ...base64, ...base64.map(encodeURIComponent)];
}

function spacesJoined(text: string): string {
  return text.replace(/\s+/g, ' ');
}

/** The common base64 part of every text that contains the secret, for its three positions in a group of three bytes. */
function base64Forms(secret: string): readonly string[] {
  return [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.from('\0'.repeat(offset) + secret);
    const whole = Math.floor((bytes.length * 8) / 6);
    const from = Math.ceil((offset * 8) / 6);
    return (['base64', 'base64url'] as const).map((form) => bytes.toString(form).slice(from, whole));
  });
}

function percentEncoded(text: string, left = ''): string {
  const all = encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return all.replace(/%[2-7][0-9a-f]/gi, (found) =>
    left.includes(decodeURIComponent(found)) ? decodeURIComponent(found) : found,
  );
}

function asForm(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

function json(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function slashesEscaped(text: string): string {
  return text.replaceAll('/', '\\/');
}

function inAscii(text: string): string {
  return text.replace(/[^ -~]/g, unicodeEscaped);
}

function html(text: string, own: Readonly<Record<string, string>> = { '"': '&quot;', "'": '&#39;' }): string {
  const known: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', ...own };
  return text.replace(/[^\w\s]/g, (sign) => known[sign] ?? sign);
}
