import { JsonFault } from './fault.ts';
import { scanJson } from './scan.ts';

/**
 * Reads JSON strictly: at most 64 levels, no repeated keys, integers beyond 2^53 as bigint (`1e400` too), `__proto__` as plain data.
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
  return Number.isFinite(value) ? value : wholeNumber(digits);
}

/** Longer ones are nothing but a way to use up memory. */
const mostZeros = 1_000;

/** `1.5e400`, which no JavaScript number holds, as the integer it is. */
function wholeNumber(text: string): bigint {
  const [, digits = '', fraction = '', exponent = '0'] = /^(-?\d+)(?:\.(\d+))?(?:[eE]\+?(\d+))?$/.exec(text) ?? [];
  const zeros = Number(exponent) - fraction.length;
  if (zeros < 0 || zeros > mostZeros) throw new RangeError('number out of range');
  return BigInt(digits + fraction + '0'.repeat(zeros));
}

function positionIn(error: unknown): number | undefined {
  const found = error instanceof SyntaxError ? /at position (\d+)$/.exec(error.message) : null;
  return found ? Number(found[1]) : undefined;
}
