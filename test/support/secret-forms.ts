/** The forms in which services are known to repeat what they were sent, each around other text. */
export const secretForms: Readonly<Record<string, (secret: string) => string>> = {
  raw: (secret) => secret,
  'in lower case': (secret) => secret.toLowerCase(),
  'in upper case': (secret) => secret.toUpperCase(),
  'percent-encoded': encodeURIComponent,
  'percent-encoded in lower case': (secret) => encodeURIComponent(secret).toLowerCase(),
  'as a form': (secret) => new URLSearchParams({ value: secret }).toString(),
  'percent-encoded twice': (secret) => encodeURIComponent(encodeURIComponent(secret)),
  'in base64': (secret) => Buffer.from(secret).toString('base64'),
  'in base64url': (secret) => Buffer.from(secret).toString('base64url'),
  'in base64 behind one byte': (secret) => Buffer.from(`:${secret}`).toString('base64'),
  'in base64 between others': (secret) => Buffer.from(`id:${secret}:more`).toString('base64'),
  'escaped for JSON': (secret) => JSON.stringify(secret),
  'escaped for JSON in ASCII': (secret) =>
    secret.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  'with escaped slashes': (secret) => secret.replaceAll('/', '\\/'),
  'escaped for HTML': (secret) =>
    secret.replace(/[&<>"']/g, (unit) => `&#${unit.charCodeAt(0)};`).replaceAll('&#38;', '&amp;'),
  'by quote of Python': (secret) => inAddress(secret, '/'),
  'as a segment of Go': (secret) => inAddress(secret, '$&+=:@'),
  'as a path of Go': (secret) => inAddress(secret, '$&+,/:;=@'),
  'as text in XML': (secret) => withEntities(secret, {}),
  'in a template of Go': (secret) => withEntities(secret, { '"': '&#34;', "'": '&#39;', '+': '&#43;' }),
  'in a template of Mustache': (secret) =>
    withEntities(secret, { '"': '&quot;', "'": '&#39;', '/': '&#x2F;', '`': '&#x60;', '=': '&#x3D;' }),
  'in a template of Handlebars': (secret) =>
    withEntities(secret, { '"': '&quot;', "'": '&#x27;', '`': '&#x60;', '=': '&#x3D;' }),
  'as JSON of Gson': (secret) => JSON.stringify(secret).replace(/[<>&='\u2028\u2029]/g, asEscape),
  'as JSON of .NET': (secret) =>
    JSON.stringify(secret)
      .slice(1, -1)
      .replaceAll('\\"', '"')
      .replace(/[<>&'"+`]|[^ -~]/g, asEscape),
};

function inAddress(secret: string, kept: string): string {
  const isKept = (sign: string) => /[\w.~-]/.test(sign) || kept.includes(sign);
  const bytes = (sign: string) =>
    [...Buffer.from(sign)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`);
  return [...secret].map((sign) => (isKept(sign) ? sign : bytes(sign).join(''))).join('');
}

function withEntities(secret: string, more: Readonly<Record<string, string>>): string {
  const all: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', ...more };
  return secret.replace(/[^\w\s]/g, (sign) => all[sign] ?? sign);
}

function asEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`;
}

/** What of a secret may stand in no output, whichever form it was repeated in: a text that holds none of these gives nothing away. */
function tracesOf(secret: string): readonly string[] {
  const core = (text: string, offset: number) =>
    Buffer.from('x'.repeat(offset) + text)
      .toString('base64')
      .replace(/=+$/, '')
      .slice(offset + 1, -2);
  const base64 = [0, 1, 2].map((offset) => core(secret, offset));
  return [
    ...Object.values(secretForms).slice(0, 7),
    secretForms['escaped for JSON in ASCII'] ?? String,
    secretForms['with escaped slashes'] ?? String,
    secretForms['escaped for HTML'] ?? String,
  ]
    .map((form) => form(secret).replace(/^value=/, ''))
    .concat(
      base64,
      base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
    );
}

/** The traces of a secret that a text holds. */
export function leaksIn(text: string, secret: string): readonly string[] {
  const lower = text.toLowerCase();
  return tracesOf(secret).filter((trace) => trace.length >= 5 && lower.includes(trace.toLowerCase()));
}
