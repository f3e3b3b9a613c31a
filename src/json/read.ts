import type { ParseOptions } from 'lossless-json';
import { JsonFault } from './fault.ts';
import { hasSpecialNumber, readNumber, SpelledNumber } from './number.ts';
import { keepSpelling } from './spelling.ts';
import { estimateBytes, refuseHeavy } from './weigh.ts';

/** In a longer text the position of a fault takes seconds to find and is of no use. */
const mostScanned = 1024 * 1024;

export interface JsonDocument {
  readonly value: unknown;
  readonly bytes: number;
}

/**
 * Reads the output of a program: at most 64 levels, 5 million names and values, and numbers of 1,000 digits. The last
 * of repeated keys counts. Integers beyond 2^53 become bigint; other numbers keep their spelling beside them
 * (`spelling.ts`). Throws a `JsonFault` without content.
 */
export async function readDocument(text: string): Promise<JsonDocument> {
  refuseHeavy(text);
  const plain = parsed(text);
  if (plain !== undefined && !hasSpecialNumber(text)) return { value: plain, bytes: estimateBytes(plain) };
  if (plain === undefined && text.length > mostScanned) throw new JsonFault('syntax');
  return losslessly(text, ({ newValue }) => newValue);
}

/**
 * Reads a file written by a person, within the same limits. A repeated key is refused, because one value would be lost.
 */
export async function readJson(text: string): Promise<unknown> {
  refuseHeavy(text);
  const { value } = await losslessly(text, ({ position }) => {
    // The library reports the position after the quote.
    throw new JsonFault('duplicate_key', position - 1);
  });
  return value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // `undefined` marks a failure: no JSON text has that value.
    return undefined;
  }
}

/** Slower; only for special numbers, repeated keys and the position of a fault. */
async function losslessly(
  text: string,
  onDuplicateKey: NonNullable<ParseOptions['onDuplicateKey']>,
): Promise<JsonDocument> {
  const { parse } = await import('lossless-json');
  try {
    const value = settled(parse(text, null, { parseNumber: readNumber, onDuplicateKey }));
    return { value, bytes: estimateBytes(value) };
  } catch (error) {
    if (error instanceof JsonFault) throw error;
    // The parser is recursive.
    if (error instanceof RangeError) throw new JsonFault('depth');
    const [, position = text.length] = /at position (\d+)$/.exec(String(error)) ?? [];
    throw new JsonFault('syntax', Number(position));
  }
}

/** Replaces each `SpelledNumber` with its number, and stores its spelling with the object or list that holds it. */
function settled(value: unknown): unknown {
  if (value instanceof SpelledNumber) return withoutHolder(value);
  if (typeof value !== 'object' || value === null) return value;
  for (const [key, item] of Object.entries(value)) {
    if (typeof item !== 'object' || item === null) continue;
    if (!(item instanceof SpelledNumber)) settled(item);
    else {
      Object.defineProperty(value, key, { value: item.value });
      keepSpelling(value, key, item);
    }
  }
  return value;
}

function withoutHolder({ value }: SpelledNumber): number | bigint {
  // A number alone loses its spelling, and infinity could not be written again.
  if (typeof value === 'number' && !Number.isFinite(value)) throw new JsonFault('long_number');
  return value;
}
