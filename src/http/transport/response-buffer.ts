import type { IncomingHttpHeaders } from 'node:http';
import { type FailureReason, type HttpResponse, TransportFailure } from '../../contract/exchange.ts';
import type { ResponseReader } from './http-exchange.ts';

const mebibyte = 1024 * 1024;
const maxBytes = 64 * mebibyte;
const maxErrorBytes = mebibyte;

/** Collects one response. Every method throws a `TransportFailure` when the response exceeds a limit. */
export function createResponseBuffer(): ResponseReader<HttpResponse> {
  const body = growingBuffer();
  let head: Omit<HttpResponse, 'text'> = { status: 0, headers: {} };
  const refuse = (reason: FailureReason, words: string): never => {
    throw new TransportFailure(reason, words, { sent: true, repeats: 'never', status: head.status });
  };
  const checkSize = (size: number): void => {
    const limit = head.status >= 400 ? maxErrorBytes : maxBytes;
    if (size > limit) refuse('too_large', `the response is larger than ${limit / mebibyte} MiB`);
  };
  return {
    begin(status, headers) {
      head = { status, headers: flatten(headers) };
      const coding = head.headers['content-encoding'] ?? 'identity';
      // Responses are never decompressed, so a small one cannot expand to gigabytes.
      if (coding.toLowerCase() !== 'identity')
        refuse('encoded', 'the response is compressed, but compression was not requested');
      const announced = Number(head.headers['content-length'] ?? 0);
      checkSize(announced);
      body.reserve(announced);
      return true;
    },
    add(chunk) {
      checkSize(body.length() + chunk.byteLength);
      body.add(chunk);
      tightenHeap(body.length());
    },
    complete() {
      const text = decode(body.take()) ?? refuse('protocol', 'the response is not UTF-8 text');
      return { ...head, text };
    },
  };
}

const smallestBytes = 16 * 1024;

function growingBuffer() {
  let bytes = new Uint8Array(0);
  let length = 0;
  const reserve = (size: number): void => {
    if (size <= bytes.length) return;
    const larger = new Uint8Array(size);
    larger.set(bytes.subarray(0, length));
    bytes = larger;
  };
  return {
    length: () => length,
    reserve,
    add(chunk: Uint8Array): void {
      const needed = length + chunk.byteLength;
      if (needed > bytes.length) reserve(Math.max(needed, Math.min(maxBytes, 2 * bytes.length), smallestBytes));
      // Copied, because a chunk is a view of the whole buffer that its socket read.
      bytes.set(chunk, length);
      length = needed;
    },
    /** Returns the bytes and empties the buffer. */
    take(): Uint8Array {
      const taken = bytes.subarray(0, length);
      bytes = new Uint8Array(0);
      return taken;
    },
  };
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function flatten(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  const named = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(named.map(([name, value]) => [name.toLowerCase(), [value].flat().join(', ')]));
}

const isLong = 4 * 1024 * 1024;
const percent = 10;
let isTight = false;

/**
 * After long responses, collects garbage whenever the heap has grown by a tenth. By default V8 lets the heap double,
 * and the garbage of earlier responses takes more memory than the held data.
 */
export function tightenHeap(bytes: number): void {
  if (isTight || bytes < isLong) return;
  isTight = true;
  // Few responses are long, so the module is imported on demand.
  void import('node:v8').then((v8) => v8.setFlagsFromString(`--heap-growing-percent=${percent}`));
}
