import type { HttpAnswer } from '../contract/exchange.ts';
import { readJson } from '../json/read.ts';

const maxLength = 500;

/** What the service says about an error: its code, such as `not_implemented`, and its own words. */
export interface Complaint {
  readonly code: string;
  /** One line, empty when the service says nothing. Control characters are cleaned on output. */
  readonly text: string;
}

type Json = Readonly<Record<string, unknown>>;

/** Reads an error body in every known form; never throws. Secrets are blotted out should the service repeat them. */
export async function readComplaint(answer: HttpAnswer, secrets: readonly string[] = []): Promise<Complaint> {
  const body = await readJson(answer.text).catch(() => undefined);
  const said = isObject(body) ? fromObject(body) : { code: '', text: plainText(answer, body) };
  return { code: said.code, text: shorten(withoutSecrets(said.text, secrets)) };
}

/** Whether the body is a page for people, as proxies and captive portals send. */
export function isHtml(answer: HttpAnswer): boolean {
  return (answer.headers['content-type'] ?? '').includes('html') || /^\s*<(!doctype|html|\?xml)/i.test(answer.text);
}

/** `an HTML page titled "502 Bad Gateway"`. */
export function describeHtml(answer: HttpAnswer): string {
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(answer.text.slice(0, 10_000))?.[1]?.trim();
  return title ? `an HTML page titled "${shorten(title)}"` : 'an HTML page';
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fromObject(body: Json): Complaint {
  const inner = isObject(body['response']) ? body['response'] : {};
  const code = words(body['error']);
  const candidates = [body['details'], body['error_description'], body['message'], inner['message'], code];
  return { code, text: candidates.map(words).find((text) => text !== '') ?? '' };
}

function words(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  return Array.isArray(value) ? value.map(words).filter(Boolean).join('; ') : '';
}

function plainText(answer: HttpAnswer, body: unknown): string {
  if (isHtml(answer)) return describeHtml(answer);
  return typeof body === 'string' ? body : answer.text;
}

/** `***` in place of every secret; one of less than four characters would blot out half of the text. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .map((secret) => secret.trim())
    .filter((secret) => secret.length >= 4)
    .reduce((cleaned, secret) => cleaned.replaceAll(secret, '***'), text);
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line;
}
