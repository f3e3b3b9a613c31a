import type { Redactor } from '../../contract/host.ts';
import { once } from '../../contract/values/once.ts';
import { mask, oneLine } from '../../contract/values/text.ts';
import { unicodeEscaped } from '../../json/write.ts';

/** Minimum length of a secret that is masked anywhere. A shorter secret is masked only as a whole word. */
const minSecretLength = 6;
const maxQuoteLength = 500;
/** Matches a written value that may be part of longer words, so that it is masked only as a whole word. */
const wordPattern = /^[a-z_]+$/i;

/** Creates a redactor for one run. It finds secrets in every encoding in which services are known to repeat them. */
export function createRedactor(): Redactor {
  const credentials = new Map<string, Secret>();
  const writtenValues = new Map<string, Secret>();
  return {
    hide: (secret) => addSecret(credentials, secret.trim(), !isLong(secret.trim())),
    hideWritten: (value) => {
      if (isLong(value.trim())) addSecret(writtenValues, value.trim(), wordPattern.test(value.trim()));
    },
    redact: (text) => redactSecrets(text, [...credentials.values()]),
    quote: (text) => oneLine(redactSecrets(text, [...credentials.values(), ...writtenValues.values()]), maxQuoteLength),
  };
}

interface Secret {
  /** Length of the shortest form of the secret. */
  readonly minLength: number;
  readonly plain: string;
  /** True if the plain form is masked only as a whole word. */
  readonly standsAlone: boolean;
  /** Returns the secret in all encodings. They are computed at the first call, which many runs never make. */
  readonly forms: () => readonly string[];
}

function addSecret(secrets: Map<string, Secret>, text: string, standsAlone: boolean): void {
  if (text === '' || secrets.has(text)) return;
  const plain = foldCase(text);
  const encodeText = () => (isLong(text) ? encodedForms(text).map(foldCase).filter(isLong) : []);
  const forms = once(() => [...new Set([plain, ...encodeText()])]);
  secrets.set(text, { minLength: spacesJoined(text).length, plain, standsAlone, forms });
}

function isLong({ length }: string): boolean {
  return length >= minSecretLength;
}

function foldCase(text: string): string {
  const textWithSpaces = text.replace(/\s/g, ' ');
  const upper = textWithSpaces.toUpperCase();
  const lower = upper.toLowerCase();
  if (upper.length !== text.length || lower.length !== text.length) return textWithSpaces.replace(/./gu, smallLetter);
  // `toLowerCase` makes `ς` of a sigma at the end of a word, so both lower-case forms become `σ`.
  return lower.replaceAll('ς', 'σ');
}

function smallLetter(character: string): string {
  const forms = [character.toUpperCase().toLowerCase(), character.toLowerCase()];
  return forms.find(({ length }) => length === character.length) ?? character;
}

function redactSecrets(text: string, secrets: readonly Secret[]): string {
  // Most table cells are shorter than any secret, so most texts need no search.
  const possibleSecrets = secrets.filter(({ minLength }) => minLength <= text.length);
  if (possibleSecrets.length === 0) return text;
  const foldedText = foldCase(text);
  const ranges = possibleSecrets.flatMap(({ plain, standsAlone, forms }) =>
    // `includes` is tested first, because nearly every cell of a long list contains no form.
    forms()
      .filter((form) => foldedText.includes(form))
      .flatMap((form) => rangesOf(foldedText, form, standsAlone && form === plain)),
  );
  return ranges.length === 0 ? text : maskRanges(text, ranges);
}

type Range = readonly [from: number, to: number];

function rangesOf(text: string, form: string, standsAlone: boolean): readonly Range[] {
  const ranges: Range[] = [];
  for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1)) {
    const end = at + form.length;
    const touchesWord = /[\p{L}\p{N}_-]/u.test(`${text[at - 1] ?? ''}${text[end] ?? ''}`);
    if (!standsAlone || !touchesWord) ranges.push([at, end]);
  }
  return ranges;
}

function maskRanges(text: string, ranges: readonly Range[]): string {
  let result = '';
  let end = 0;
  for (const [from, to] of ranges.toSorted((one, other) => one[0] - other[0])) {
    if (from >= end) result += `${text.slice(end, from)}${mask}`;
    end = Math.max(end, to);
  }
  return result + text.slice(end);
}

type Encode = (text: string) => string;
type Entities = Readonly<Record<string, string>>;

/** Characters not encoded in addresses: by RFC 3986, by Python's `quote`, by Go in a segment, and by Go in a path. */
const unencodedInAddress = ['', '/', '$&+=:@', '$&+,/:;=@'];

/** Sets of HTML entities besides those of `&`, `<` and `>`. One or more libraries use each set. */
const entityChoices: readonly Entities[] = [
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

const encodings: readonly Encode[] = [
  encodeURI,
  encodeURIComponent,
  ...unencodedInAddress.map((unencoded) => (text: string) => percentEncoded(text, unencoded)),
  (text) => percentEncoded(text).replaceAll('%20', '+'),
  formEncoded,
  slashesEscaped,
  jsonEscaped,
  (text) => slashesEscaped(jsonEscaped(text)),
  (text) => asciiEscaped(jsonEscaped(text)),
  (text) => slashesEscaped(asciiEscaped(jsonEscaped(text))),
  (text) => jsonEscaped(text).replace(/[<>&\u2028\u2029]/g, unicodeEscaped),
  (text) => jsonEscaped(text).replace(/[<>&='\u2028\u2029]/g, unicodeEscaped),
  (text) =>
    asciiEscaped(
      jsonEscaped(text)
        .replaceAll('\\"', '"')
        .replace(/[<>&'"+`]/g, unicodeEscaped),
    ),
  unicodeEscaped,
  ...entityChoices.map((entities) => (text: string) => htmlEscaped(text, entities)),
];

/** Encodings that may be applied to a text that is already encoded by one of them. */
const nestedEncodings: readonly Encode[] = [encodeURIComponent, formEncoded, jsonEscaped, (text) => htmlEscaped(text)];

function encodedForms(secret: string): readonly string[] {
  const text = secret.toWellFormed();
  // Upper case is a separate form, because its length may differ (`ß`, `SS`). Latin-1 is how headers are read.
  const forms = [text, text.toUpperCase(), text.toLowerCase(), Buffer.from(text).toString('latin1')];
  const encodedTexts = [...new Set([text, spacesJoined(text)])].flatMap((form) => [
    ...encodings.map((encode) => encode(form)),
    ...nestedEncodings.flatMap((outer) => nestedEncodings.map((inner) => outer(inner(form)))),
  ]);
  const base64 = base64Forms(text);
  return [...forms, ...forms.map(spacesJoined), ...encodedTexts, ...base64, ...base64.map(encodeURIComponent)];
}

function spacesJoined(text: string): string {
  return text.replace(/\s+/g, ' ');
}

/** Returns the base64 of a secret inside a longer text, for each position at which a group of three bytes may start. */
function base64Forms(secret: string): readonly string[] {
  return [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.from('\0'.repeat(offset) + secret);
    const end = Math.floor((bytes.length * 8) / 6);
    const start = Math.ceil((offset * 8) / 6);
    return (['base64', 'base64url'] as const).map((encoding) => bytes.toString(encoding).slice(start, end));
  });
}

function percentEncoded(text: string, unencoded = ''): string {
  const encodedText = encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);
  return encodedText.replace(/%[2-7][0-9a-f]/gi, (escapeCode) =>
    unencoded.includes(decodeURIComponent(escapeCode)) ? decodeURIComponent(escapeCode) : escapeCode,
  );
}

function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

function jsonEscaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function slashesEscaped(text: string): string {
  return text.replaceAll('/', '\\/');
}

function asciiEscaped(text: string): string {
  return text.replace(/[^ -~]/g, unicodeEscaped);
}

function htmlEscaped(text: string, entities: Entities = { '"': '&quot;', "'": '&#39;' }): string {
  const allEntities: Entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', ...entities };
  return text.replace(/[^\w\s]/g, (character) => allEntities[character] ?? character);
}
