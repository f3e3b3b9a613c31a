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
};

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
