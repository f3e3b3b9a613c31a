import { deserializeMessage, INVALID_REQUEST, PARSE_ERROR, type Transport } from '@modelcontextprotocol/server';
import { isObject } from '../contract/values/json.ts';
import { writeJson } from '../json/write.ts';

/** Maximum size of a line. A longer line is refused and not kept in memory. */
const maxLineBytes = 1024 * 1024;

interface Streams {
  readonly pieces: () => AsyncIterable<Uint8Array>;
  readonly print: (text: string) => Promise<void>;
}

/** Returns a JSON-RPC transport, and `read`, which reads stdin to its end and answers an invalid line with an error. */
export function createLineTransport({ pieces, print }: Streams) {
  // Control characters are written as escapes, because a client may show the line.
  const write = (message: unknown) => print(`${writeJson(message, { indent: false, escapeControls: true })}\n`);
  const sendError = (code: number, message: string, id?: unknown) =>
    write({ jsonrpc: '2.0', ...(id !== undefined && { id }), error: { code, message } });
  const transport: Transport = { start: async () => {}, send: write, close: async () => transport.onclose?.() };

  async function read(): Promise<void> {
    for await (const line of linesOf(pieces())) {
      if (line === undefined) await sendError(INVALID_REQUEST, `a line has more than ${maxLineBytes / 1024} KiB`);
      else if (line.trim() !== '') await handleLine(line);
    }
  }

  async function handleLine(line: string): Promise<void> {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      return sendError(PARSE_ERROR, 'the line is no JSON');
    }
    try {
      transport.onmessage?.(deserializeMessage(line));
    } catch {
      const id = isObject(value) ? value['id'] : undefined;
      const isValidId = typeof id === 'string' || typeof id === 'number';
      await sendError(INVALID_REQUEST, 'no JSON-RPC message', isValidId ? id : undefined);
    }
  }
  return { transport, read };
}

/** Yields each line; undefined for a line that is too long. */
async function* linesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string | undefined> {
  let heldPieces: Uint8Array[] = [];
  let lineBytes = 0;
  for await (const piece of pieces) {
    let rest = piece;
    for (let lineEnd = rest.indexOf(10); lineEnd >= 0; lineEnd = rest.indexOf(10)) {
      const linePieces = [...heldPieces, rest.subarray(0, lineEnd)];
      yield lineBytes + lineEnd > maxLineBytes ? undefined : Buffer.concat(linePieces).toString('utf8');
      [heldPieces, lineBytes, rest] = [[], 0, rest.subarray(lineEnd + 1)];
    }
    lineBytes += rest.length;
    if (lineBytes <= maxLineBytes) heldPieces.push(rest);
    else heldPieces = [];
  }
}
