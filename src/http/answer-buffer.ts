import type { IncomingHttpHeaders } from 'node:http';
import type { HttpAnswer } from '../contract/exchange.ts';
import { TransportFailure } from './failure.ts';

const mebibyte = 1024 * 1024;
const maxBytes = 64 * mebibyte;
const maxErrorBytes = mebibyte;

/** Collects one answer; every method throws a `TransportFailure` when the answer breaks a limit. */
export interface AnswerBuffer {
  begin(status: number, headers: IncomingHttpHeaders): void;
  add(chunk: Uint8Array): void;
  complete(): HttpAnswer;
  status(): number | undefined;
}

export function createAnswerBuffer(): AnswerBuffer {
  const chunks: Uint8Array[] = [];
  let head: { readonly status: number; readonly headers: Readonly<Record<string, string>> } | undefined;
  let bytes = 0;
  const refuse = (reason: 'too_large' | 'encoded' | 'protocol', words: string): never => {
    throw new TransportFailure(reason, words, { sent: true, repeats: 'never', status: head?.status });
  };
  const checkSize = (size: number): void => {
    const limit = (head?.status ?? 0) >= 400 ? maxErrorBytes : maxBytes;
    if (size > limit) refuse('too_large', `the answer is larger than ${limit / mebibyte} MiB`);
  };
  return {
    begin(status, headers) {
      head = { status, headers: flatten(headers) };
      const coding = head.headers['content-encoding'] ?? 'identity';
      // Nothing here decompresses, so that no small answer can unfold into gigabytes.
      if (coding.toLowerCase() !== 'identity') refuse('encoded', 'the answer is compressed, which was not asked for');
      checkSize(Number(head.headers['content-length'] ?? 0));
    },
    add(chunk) {
      bytes += chunk.byteLength;
      checkSize(bytes);
      chunks.push(chunk);
    },
    complete() {
      if (!head) return refuse('protocol', 'the answer has no status');
      const text = decode(chunks) ?? refuse('protocol', 'the answer is not UTF-8 text');
      return { ...head, text };
    },
    status: () => head?.status,
  };
}

function decode(chunks: readonly Uint8Array[]): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    return undefined;
  }
}

function flatten(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  const named = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(named.map(([name, value]) => [name.toLowerCase(), [value].flat().join(', ')]));
}
