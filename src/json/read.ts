import { closeContainer, isBlank, readOpen } from './cut.ts';
import { JsonFault } from './fault.ts';
import { readNumber, type SpelledNumber } from './number.ts';
import { JsonScan } from './scan.ts';
import { keepSpelling } from './spelling.ts';
import { turn } from './turn.ts';

/** A value and its approximate size in memory, in bytes. */
export interface JsonDocument {
  readonly value: unknown;
  readonly bytes: number;
}

/** Like `readDocument`, but only the value. */
export async function readJson(text: string, signal?: AbortSignal): Promise<unknown> {
  return (await readDocument(text, signal)).value;
}

/**
 * Reads JSON strictly: at most 64 levels, 5 million names and values, and 1,000 digits; no repeated keys. Integers
 * beyond 2^53 become bigint (also `1e400`); `1e9999` is infinite, and refused as a whole document. `__proto__` is plain
 * data. A long text is read in pieces, so that the event loop can run. Throws a `JsonFault` with a position and without
 * content, or the reason of the signal.
 */
export async function readDocument(text: string, signal?: AbortSignal): Promise<JsonDocument> {
  const scan = new JsonScan(text);
  const value = await readInPieces(text, scan, signal);
  return { value, bytes: scan.bytes };
}

async function readInPieces(text: string, scan: JsonScan, signal: AbortSignal | undefined): Promise<unknown> {
  let root: { readonly value: unknown } | undefined;
  for (let stop = scan.advance(); stop !== 'end'; stop = scan.advance()) {
    if (stop !== 'pause') {
      await readOpen(text, scan, (piece, offset) => readPiece(piece, offset, scan.risky));
      scan.noteCut();
      root ??= { value: scan.open[0]?.holder };
    }
    if (stop === 'close') closeContainer(text, scan);
    if (root && scan.open.length === 0) return onlyValue(text, scan.position, root.value);
    await turn(signal);
  }
  if (root) throw new JsonFault('syntax', text.length);
  return readPiece(text, 0, scan.risky);
}

function onlyValue(text: string, end: number, value: unknown): unknown {
  const rest = text.slice(end);
  if (!isBlank(rest)) throw new JsonFault('syntax', end + rest.search(/[^ \t\n\r]/));
  return value;
}

async function readPiece(piece: string, offset: number, risky: boolean): Promise<unknown> {
  if (risky) return readLosslessly(piece, offset);
  try {
    return JSON.parse(piece);
  } catch {
    // Node 20 quotes the text instead of a position; the other parser always has a position.
    return readLosslessly(piece, offset);
  }
}

/** Slower, so used only for faults and special numbers. */
async function readLosslessly(piece: string, offset: number): Promise<unknown> {
  const { parse } = await import('lossless-json');
  try {
    return settled(parse(piece, null, (digits) => asPlaced(readNumber(digits))));
  } catch (error) {
    if (error instanceof JsonFault) throw error;
    throw new JsonFault('syntax', offset + (positionIn(error) ?? piece.length));
  }
}

/** A placeholder for a number whose object or list is not known yet. */
class Placed {
  readonly number: SpelledNumber;

  constructor(number: SpelledNumber) {
    this.number = number;
  }
}

function asPlaced(number: number | bigint | SpelledNumber): number | bigint | Placed {
  return typeof number === 'object' ? new Placed(number) : number;
}

/** Puts the numbers in place and stores their spelling with the object or list that holds them. */
function settled(value: unknown): unknown {
  if (value instanceof Placed) return alone(value.number);
  if (typeof value !== 'object' || value === null) return value;
  for (const [key, item] of Object.entries(value)) {
    if (typeof item !== 'object' || item === null) continue;
    if (!(item instanceof Placed)) settled(item);
    else {
      Object.defineProperty(value, key, { value: item.number.value });
      keepSpelling(value, key, item.number);
    }
  }
  return value;
}

/** A number without a holder loses its spelling, and infinity could not be written again. */
function alone({ value }: SpelledNumber): number | bigint {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new JsonFault('long_number', 0);
  return value;
}

function positionIn(error: unknown): number | undefined {
  const found = error instanceof SyntaxError ? /at position (\d+)$/.exec(error.message) : null;
  return found ? Number(found[1]) : undefined;
}
