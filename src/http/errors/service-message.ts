import type { HttpResponse } from '../../contract/exchange.ts';
import { isObject, type JsonObject } from '../../contract/values/json-object.ts';
import { bodyOf } from '../body.ts';

type Quote = (text: string) => string;

export type Complaint = Awaited<ReturnType<typeof readComplaint>>;

/**
 * Reads an error body in every known form; never throws. `code` is such as `not_implemented`; `text` is one safe line;
 * `isForeign` is true for an HTML page, plain text, or JSON that the service does not send.
 */
export async function readComplaint(response: HttpResponse, quote: Quote) {
  const body = await bodyOf(response).then(
    ({ value }) => value,
    () => undefined,
  );
  const complaint = isObject(body) ? fromObject(body) : { code: '', text: plainText(response, body) };
  return { code: complaint.code, text: quote(complaint.text), isForeign: !isObject(body) || complaint.text === '' };
}

/** True for an HTML page, as proxies and captive portals send. */
export function isHtml(response: HttpResponse): boolean {
  return (response.headers['content-type'] ?? '').includes('html') || /^\s*<(!doctype|html|\?xml)/i.test(response.text);
}

/** `an HTML page titled "502 Bad Gateway"`. */
export function describeHtml(response: HttpResponse, quote: Quote): string {
  const title = /<title[^<>]*>([^<]*)<\/title>/i.exec(response.text.slice(0, 10_000))?.[1]?.trim();
  return title ? `an HTML page titled "${quote(title)}"` : 'an HTML page';
}

function fromObject(body: JsonObject) {
  const inner = isObject(body['response']) ? body['response'] : {};
  const code = messageText(body['error']);
  const candidates = [body['details'], body['error_description'], body['message'], inner['message'], code];
  return { code, text: candidates.map(messageText).find((text) => text !== '') ?? '' };
}

function messageText(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  return Array.isArray(value) ? value.map(messageText).filter(Boolean).join('; ') : '';
}

function plainText(response: HttpResponse, body: unknown): string {
  if (isHtml(response)) return describeHtml(response, (title) => title);
  return typeof body === 'string' ? body : response.text;
}
