import { isUtf8 } from 'node:buffer';
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
      const bytes = body.takeBytes();
      if (!isUtf8(bytes)) refuse('protocol', 'the response is not UTF-8 text');
      return { ...head, text: new TextDecoder().decode(bytes) };
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

function flattenHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  const entries = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), [value].flat().join(', ')]));
}

const minTightenBytes = 4 * 1024 * 1024;
const growthPercent = 10;
let isHeapTight = false;

/** For large `bytes`, limits the growth of the heap: V8 would let it double, and garbage could outgrow the data held. */
export function tightenHeap(bytes: number): void {
  if (isHeapTight || bytes < minTightenBytes) return;
  isHeapTight = true;
  // Few runs hold so much data, so the module is imported on demand.
  void import('node:v8').then((v8) => v8.setFlagsFromString(`--heap-growing-percent=${growthPercent}`));
}
