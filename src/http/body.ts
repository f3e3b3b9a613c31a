import type { HttpResponse } from '../contract/exchange.ts';
import type { RawResponse } from '../contract/reply.ts';
import { isObject, type JsonObject } from '../contract/values/json.ts';
import type { CliError } from '../errors/cli-error.ts';
import { type JsonDocument, readDocument } from '../json/read.ts';

const bodies = new WeakMap<HttpResponse, Promise<JsonDocument>>();

/** Parses the JSON of a response once. Rejects with a `JsonFault`. */
export function bodyOf(response: HttpResponse): Promise<JsonDocument> {
  const body = bodies.get(response) ?? readDocument(response.text);
  bodies.set(response, body);
  return body;
}

/** Returns the response for `api`; a body that is not JSON is a string. Never throws. */
export async function rawResponse(response: HttpResponse): Promise<RawResponse> {
  const { status, headers, text } = response;
  const body =
    text.trim() === ''
      ? undefined
      : await bodyOf(response).then(
          ({ value }) => value,
          () => text,
        );
  return { status, headers, body };
}

/** Adds the response to an error, for stdout. */
export async function withResponse(error: CliError, response: HttpResponse): Promise<CliError> {
  return error.with({ partial: { value: await rawResponse(response) } });
}

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
