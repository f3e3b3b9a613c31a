import type { HttpResponse } from '../contract/exchange.ts';
import { type JsonDocument, readDocument } from '../json/read.ts';

const bodies = new WeakMap<HttpResponse, Promise<JsonDocument>>();

/** The JSON of a response, parsed once. Rejects with a `JsonFault`, or the reason of the signal. */
export function bodyOf(response: HttpResponse, signal?: AbortSignal): Promise<JsonDocument> {
  const body = bodies.get(response) ?? readDocument(response.text, signal);
  bodies.set(response, body);
  return body;
}
