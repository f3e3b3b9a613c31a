type Encode = (text: string) => string;

/** As libraries write a text into an address, into JSON and into HTML. */
const encodings: readonly Encode[] = [
  encodeURI,
  encodeURIComponent,
  percentEncoded,
  (text) => percentEncoded(text).replaceAll('%20', '+'),
  asForm,
  slashesEscaped,
  json,
  (text) => slashesEscaped(json(text)),
  (text) => inAscii(json(text)),
  (text) => slashesEscaped(inAscii(json(text))),
  (text) => json(text).replace(/[<>&\u2028\u2029]/g, unicodeEscape),
  (text) => text.replace(/./gs, unicodeEscape),
  html,
  (text) => html(text).replaceAll('&#39;', '&#x27;'),
  (text) => html(text).replaceAll('&#39;', '&#039;'),
  (text) => html(text).replaceAll('&#39;', '&apos;'),
  (text) => text.replace(/[&<>"']/g, decimalEntity).replaceAll('&#38;', '&amp;'),
];

/** Those that are met one inside the other. */
const nested: readonly Encode[] = [encodeURIComponent, asForm, json, html];

/** The forms in which services are known to repeat a text; which of its letters are capitals is not told apart. */
export function encodedForms(secret: string): readonly string[] {
  const text = secret.toWellFormed();
  // Capitals may be longer (`ß`, `SS`), and headers are read byte by byte.
  const plain = [text, text.toUpperCase(), text.toLowerCase(), Buffer.from(text).toString('latin1')];
  const encoded = [...new Set([text, spacesJoined(text)])].flatMap((form) => [
    ...encodings.map((encode) => encode(form)),
    ...nested.flatMap((outer) => nested.map((inner) => outer(inner(form)))),
  ]);
  const base64 = base64Forms(text);
  return [...plain, ...plain.map(spacesJoined), ...encoded, ...base64, ...base64.map(encodeURIComponent)];
}

/** Several blanks or line feeds in a row as one blank. */
export function spacesJoined(text: string): string {
  return text.replace(/\s+/g, ' ');
}

/** What is the same in the base64 of every text that holds the secret, for its three places in a group of three bytes. */
function base64Forms(secret: string): readonly string[] {
  return [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.from('\0'.repeat(offset) + secret);
    const whole = Math.floor((bytes.length * 8) / 6);
    const from = Math.ceil((offset * 8) / 6);
    return (['base64', 'base64url'] as const).map((form) => bytes.toString(form).slice(from, whole));
  });
}

/** Everything but the letters, digits and signs that RFC 3986 leaves as they are. */
function percentEncoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (found) => `%${hexOf(found, 2)}`);
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
  return text.replace(/[^ -~]/g, unicodeEscape);
}

function unicodeEscape(unit: string): string {
  return `\\u${hexOf(unit, 4)}`;
}

function hexOf(unit: string, digits: number): string {
  return unit.charCodeAt(0).toString(16).padStart(digits, '0');
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function html(text: string): string {
  return text.replace(/[&<>"']/g, (found) => entities[found] ?? decimalEntity(found));
}

function decimalEntity(found: string): string {
  return `&#${found.charCodeAt(0)};`;
}
