import { unicodeEscaped } from '../../json/write.ts';

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
const nested: readonly Encode[] = [encodeURIComponent, asForm, json, (text) => html(text)];

/** The forms in which services are known to repeat a text. Letter case is ignored. */
export function encodedForms(secret: string): readonly string[] {
  const text = secret.toWellFormed();
  // Upper case may be longer (`ß`, `SS`), and headers are read byte by byte.
  const plain = [text, text.toUpperCase(), text.toLowerCase(), Buffer.from(text).toString('latin1')];
  const encoded = [...new Set([text, spacesJoined(text)])].flatMap((form) => [
    ...encodings.map((encode) => encode(form)),
    ...nested.flatMap((outer) => nested.map((inner) => outer(inner(form)))),
  ]);
  const base64 = base64Forms(text);
  return [...plain, ...plain.map(spacesJoined), ...encoded, ...base64, ...base64.map(encodeURIComponent)];
}

/** Replaces runs of white space with one blank. */
export function spacesJoined(text: string): string {
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
