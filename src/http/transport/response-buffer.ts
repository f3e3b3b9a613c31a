import type { IncomingHttpHeaders } from 'node:http';
import { type FailureReason, type HttpResponse, TransportFailure } from '../../contract/exchange.ts';
import type { ResponseReader } from './http-exchange.ts';

const mebibyte = 1024 * 1024;
const maxBytes = 64 * mebibyte;
const maxErrorBytes = mebibyte;

/** Creates a reader that collects one response. Each method throws a `TransportFailure` if a limit is exceeded. */
export function createResponseBuffer(): ResponseReader<HttpResponse> {
  const body = createGrowingBuffer();
  let head: Omit<HttpResponse, 'text'> = { status: 0, headers: {} };
  const refuse = (reason: FailureReason, message: string): never => {
    throw new TransportFailure(reason, message, { sent: true, repeats: 'never', status: head.status });
  };
  const checkSize = (size: number): void => {
    const limit = head.status >= 400 ? maxErrorBytes : maxBytes;
    if (size > limit) refuse('too_large', `the response is larger than ${limit / mebibyte} MiB`);
  };
  return {
    begin(status, headers) {
      head = { status, headers: flattenHeaders(headers) };
      const coding = head.headers['content-encoding'] ?? 'identity';
      // Responses are never decompressed, so a small response cannot expand to gigabytes.
      if (coding.toLowerCase() !== 'identity')
        refuse('encoded', 'the response is compressed, but compression was not requested');
      const announcedBytes = Number(head.headers['content-length'] ?? 0);
      checkSize(announcedBytes);
      body.reserve(announcedBytes);
      return true;
    },
    add(chunk) {
      checkSize(body.length() + chunk.byteLength);
      body.add(chunk);
      tightenHeap(body.length());
    },
    complete() {
      const text = decode(body.takeBytes()) ?? refuse('protocol', 'the response is not UTF-8 text');
      return { ...head, text };
    },
  };
}

const minBufferBytes = 16 * 1024;

function createGrowingBuffer() {
  let bytes = new Uint8Array(0);
  let length = 0;
  const reserve = (size: number): void => {
    if (size <= bytes.length) return;
    const largerBytes = new Uint8Array(size);
    largerBytes.set(bytes.subarray(0, length));
    bytes = largerBytes;
  };
  return {
    length: () => length,
    reserve,
    add(chunk: Uint8Array): void {
      const newLength = length + chunk.byteLength;
      if (newLength > bytes.length) reserve(Math.max(newLength, Math.min(maxBytes, 2 * bytes.length), minBufferBytes));
      // The chunk is copied, because it is a view of a larger buffer of the socket and keeps that buffer in memory.
      bytes.set(chunk, length);
      length = newLength;
    },
    takeBytes(): Uint8Array {
      const takenBytes = bytes.subarray(0, length);
      bytes = new Uint8Array(0);
      return takenBytes;
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

function flattenHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  const entries = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), [value].flat().join(', ')]));
}

const minTightenBytes = 4 * 1024 * 1024;
const growthPercent = 10;
let isHeapTight = false;

/**
 * If `bytes` is large, makes V8 collect garbage from now on whenever the heap has grown by a tenth. By default V8 lets
 * the heap double, and the garbage of earlier responses could then take more memory than the data that is held.
 */
export function tightenHeap(bytes: number): void {
  if (isHeapTight || bytes < minTightenBytes) return;
  isHeapTight = true;
  // Few runs hold so much data, so the module is imported on demand.
  void import('node:v8').then((v8) => v8.setFlagsFromString(`--heap-growing-percent=${growthPercent}`));
}
