import type { HttpResponse } from '../contract/exchange.ts';
import { type JsonDocument, readDocument } from '../json/read.ts';

const bodies = new WeakMap<HttpResponse, Promise<JsonDocument>>();

/** The JSON of a response, parsed once. Rejects with a `JsonFault`. */
export function bodyOf(response: HttpResponse): Promise<JsonDocument> {
  const body = bodies.get(response) ?? readDocument(response.text);
  bodies.set(response, body);
  return body;
}
