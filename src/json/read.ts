import type { ParseOptions } from 'lossless-json';
import { JsonFault } from './fault.ts';
import { hasSpecialNumber, readNumber, SpelledNumber } from './number.ts';
import { keepSpelling } from './spelling.ts';
import { estimateBytes, refuseHeavy } from './weigh.ts';

/** In a longer text the position of a fault would help nobody, and takes seconds to find. */
const mostScanned = 1024 * 1024;

export interface JsonDocument {
  readonly value: unknown;
  readonly bytes: number;
}

/**
 * Reads what a program sent: at most 64 levels, 5 million names and values, and 1,000 digits; of repeated keys the last
 * one counts. Integers beyond 2^53 become bigint, and other numbers keep their spelling beside them (`spelling.ts`).
 * Throws a `JsonFault` without content.
 */
export async function readDocument(text: string): Promise<JsonDocument> {
  refuseHeavy(text);
  const plain = parsed(text);
  if (plain !== undefined && !hasSpecialNumber(text)) return { value: plain, bytes: estimateBytes(plain) };
  if (plain === undefined && text.length > mostScanned) throw new JsonFault('syntax');
  return losslessly(text, ({ newValue }) => newValue);
}

/** Reads what a person wrote, within the same limits: a repeated key is refused, for one of both would be lost. */
export async function readJson(text: string): Promise<unknown> {
  refuseHeavy(text);
  const { value } = await losslessly(text, ({ position }) => {
    // The library points behind the quote.
    throw new JsonFault('duplicate_key', position - 1);
  });
  return value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // No JSON text is undefined.
    return undefined;
  }
}

/** Slower, and of use for special numbers, repeated keys and the position of a fault only. */
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
    // The parser calls itself for each level.
    if (error instanceof RangeError) throw new JsonFault('depth');
    const [, position = text.length] = /at position (\d+)$/.exec(String(error)) ?? [];
    throw new JsonFault('syntax', Number(position));
  }
}

/** Puts the numbers in place and stores their spelling with the object or list that holds them. */
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
  // It loses its spelling, and infinity could not be written again.
  if (typeof value === 'number' && !Number.isFinite(value)) throw new JsonFault('long_number');
  return value;
}
