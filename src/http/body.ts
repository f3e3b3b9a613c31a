import type { HttpResponse } from '../contract/exchange.ts';
import type { RawResponse } from '../contract/reply.ts';
import type { CliError } from '../errors/cli-error.ts';
import { type JsonDocument, parseJsonDocument } from '../json/read.ts';

const parsedBodies = new WeakMap<HttpResponse, Promise<JsonDocument>>();

/** Parses the body of a response as JSON, once for each response. Rejects with a `JsonFault`. */
export function parseBody(response: HttpResponse): Promise<JsonDocument> {
  const body = parsedBodies.get(response) ?? parseJsonDocument(response.text);
  parsedBodies.set(response, body);
  return body;
}

/** Returns the response as `stackops api` prints it. A body that is not JSON is a string. Never throws. */
export async function rawResponse(response: HttpResponse): Promise<RawResponse> {
  const { status, headers, text } = response;
  if (text.trim() === '') return { status, headers, body: undefined };
  const { value: body } = await parseBody(response).catch(() => ({ value: text }));
  return { status, headers, body };
}

/** Returns a copy of the error that holds the response, so that the response is printed on stdout. */
export async function errorWithResponse(error: CliError, response: HttpResponse): Promise<CliError> {
  return error.with({ partial: { value: await rawResponse(response) } });
}

export function isHtml(response: HttpResponse): boolean {
  return (response.headers['content-type'] ?? '').includes('html') || /^\s*<(!doctype|html|\?xml)/i.test(response.text);
}
