import type { HttpAnswer } from '../contract/exchange.ts';
import { type JsonDocument, readDocument } from '../json/read.ts';

const bodies = new WeakMap<HttpAnswer, Promise<JsonDocument>>();

/** The JSON of an answer, read once however often it is asked for. Rejects with a `JsonFault`, or the reason of the signal. */
export function bodyOf(answer: HttpAnswer, signal?: AbortSignal): Promise<JsonDocument> {
  const body = bodies.get(answer) ?? readDocument(answer.text, signal);
  bodies.set(answer, body);
  return body;
}
