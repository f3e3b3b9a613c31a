import { JsonFault } from './fault.ts';
import { scanJson } from './scan.ts';

/**
 * Reads JSON strictly: at most 64 levels, no repeated keys, integers beyond 2^53 as bigint, `__proto__` as plain data.
 * Throws a `JsonFault` with a position and without content.
 */
export async function readJson(text: string): Promise<unknown> {
  if (scanJson(text)) return readLosslessly(text);
  try {
    return JSON.parse(text);
  } catch {
    // Node 20 names no position for an unexpected token and quotes the text instead; the other parser always names one.
    return readLosslessly(text);
  }
}

/** Slower, so only for texts with long numbers or faults. */
async function readLosslessly(text: string): Promise<unknown> {
  const { parse } = await import('lossless-json');
  try {
    return parse(text, null, exactNumber);
  } catch (error) {
    throw new JsonFault('syntax', positionIn(error) ?? text.length);
  }
}

function exactNumber(digits: string): number | bigint {
  const value = Number(digits);
  if (/^-?\d+$/.test(digits)) return Number.isSafeInteger(value) ? value : BigInt(digits);
  // Infinity could not be written back.
  if (!Number.isFinite(value)) throw new RangeError('number out of range');
  return value;
}

function positionIn(error: unknown): number | undefined {
  const found = error instanceof SyntaxError ? /at position (\d+)$/.exec(error.message) : null;
  return found ? Number(found[1]) : undefined;
}
