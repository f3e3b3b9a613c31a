import type { HttpAnswer } from '../../contract/exchange.ts';
import { isObject, type JsonObject } from '../../contract/values/json-object.ts';
import { bodyOf } from '../body.ts';

type Quote = (text: string) => string;

/** What the service says about an error: its code, such as `not_implemented`, and its own words. */
export interface Complaint {
  readonly code: string;
  /** One line, empty when the service says nothing. */
  readonly text: string;
  /** Not in the form of the service: a page for people, a bare text, other JSON. */
  readonly isForeign: boolean;
}

/** Reads an error body in every known form; never throws. `quote` makes a line of what the service says. */
export async function readComplaint(answer: HttpAnswer, quote: Quote): Promise<Complaint> {
  const body = await bodyOf(answer).then(
    ({ value }) => value,
    () => undefined,
  );
  const said = isObject(body) ? fromObject(body) : { code: '', text: plainText(answer, body) };
  return { code: said.code, text: quote(said.text), isForeign: !isObject(body) || said.text === '' };
}

/** Whether the body is a page for people, as proxies and captive portals send. */
export function isHtml(answer: HttpAnswer): boolean {
  return (answer.headers['content-type'] ?? '').includes('html') || /^\s*<(!doctype|html|\?xml)/i.test(answer.text);
}

/** `an HTML page titled "502 Bad Gateway"`. */
export function describeHtml(answer: HttpAnswer, quote: Quote): string {
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(answer.text.slice(0, 10_000))?.[1]?.trim();
  return title ? `an HTML page titled "${quote(title)}"` : 'an HTML page';
}

function fromObject(body: JsonObject): Omit<Complaint, 'isForeign'> {
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
  if (isHtml(answer)) return describeHtml(answer, (title) => title);
  return typeof body === 'string' ? body : answer.text;
}
