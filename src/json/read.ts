import type { ParseOptions } from 'lossless-json';

/** Maximum length of a text in which the position of a fault is searched. In a longer text the search takes seconds. */
const maxSearchedLength = 1024 * 1024;

export type JsonDocument = { readonly value: unknown; readonly memoryBytes: number };

/**
 * Parses JSON that a program wrote. Throws a `JsonFault` for more than 64 levels, 5 million names and values, or 1,000
 * digits in a number. If a key is repeated, the last value counts. Integers beyond 2^53 become bigints. Other numbers
 * that JavaScript would write differently keep their spelling (see `spellingOf`).
 */
export async function parseJsonDocument(text: string): Promise<JsonDocument> {
  refuseOversizedText(text);
  const value = parseOrUndefined(text);
  if (value !== undefined && !hasSpecialNumber(text)) return { value, memoryBytes: estimateBytes(value) };
  if (value === undefined && text.length > maxSearchedLength) throw new JsonFault('syntax');
  return parseLosslessly(text, ({ newValue }) => newValue);
}

/** Parses JSON that a person wrote, like `parseJsonDocument`. Refuses a repeated key, because a value would be lost. */
export async function parseStrictJson(text: string): Promise<unknown> {
  refuseOversizedText(text);
  const { value } = await parseLosslessly(text, ({ position }) => {
    // lossless-json reports the position after the opening quote of the key. The fault begins at that quote.
    throw new JsonFault('duplicate_key', position - 1);
  });
  return value;
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // No JSON text has the value `undefined`, so `undefined` can mean a failure.
    return undefined;
  }
}

type OnDuplicateKey = NonNullable<ParseOptions['onDuplicateKey']>;

/** Parses JSON, keeps all digits, and finds repeated keys and the position of a fault. Slower than `JSON.parse`. */
async function parseLosslessly(text: string, onDuplicateKey: OnDuplicateKey): Promise<JsonDocument> {
  const { parse } = await import('lossless-json');
  try {
    const holder = { value: parse(text, null, { parseNumber: readNumber, onDuplicateKey }) };
    unwrapNumbers(holder);
    const { value } = holder;
    // A top-level number keeps no spelling, so an infinite number could not be written again.
    if (typeof value === 'number' && !Number.isFinite(value)) throw new JsonFault('long_number');
    return { value, memoryBytes: estimateBytes(value) };
  } catch (error) {
    if (error instanceof JsonFault) throw error;
    // A RangeError means that a deeply nested text has overflowed the stack of the recursive parser.
    if (error instanceof RangeError) throw new JsonFault('depth');
    const [, position = text.length] = /at position (\d+)$/.exec(String(error)) ?? [];
    throw new JsonFault('syntax', Number(position));
  }
}

function unwrapNumbers(holder: object): void {
  for (const [key, item] of Object.entries(holder)) {
    if (item instanceof SpelledNumber) {
      Object.defineProperty(holder, key, { value: item.value });
      keepSpelling(holder, key, item);
    } else if (typeof item === 'object' && item !== null) unwrapNumbers(item);
  }
}

const maxDepth = 64;
/** Maximum number of values in a text. Names count, too, because they use memory. */
const maxValues = 5_000_000;
const maxBytes = 160 * 1024 * 1024;
/** Maximum length of a text that needs no check of its size in memory. A longer text is checked before it is parsed. */
const harmlessLength = 1024 * 1024;
/** Approximate bytes of a value in V8. A string has one more byte for each character. */
const memorySizes = { container: 56, text: 24, scalar: 8 } as const;
const charCodes = { quote: 34, comma: 44, colon: 58, backslash: 92, list: 91, object: 123 } as const;

function refuseOversizedText(text: string): void {
  if (text.length <= harmlessLength) return;
  let bytes = 0;
  let valueCount = 0;
  for (let at = 0; at < text.length; at += 1) {
    const codeUnit = text.charCodeAt(at);
    if (codeUnit === charCodes.quote) {
      const end = endOfString(text, at);
      bytes += memorySizes.text + end - at;
      at = end;
      continue;
    }
    if (codeUnit === charCodes.list || codeUnit === charCodes.object) bytes += memorySizes.container;
    if (bytes > maxBytes) throw new JsonFault('too_large');
    // A comma or colon precedes each name and value except the first of a list or an object.
    if (codeUnit !== charCodes.comma && codeUnit !== charCodes.colon) continue;
    valueCount += 1;
    bytes += memorySizes.scalar;
    if (valueCount > maxValues) throw new JsonFault('too_many_values');
  }
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, quoteIndex: number): boolean {
  let at = quoteIndex - 1;
  while (text.charCodeAt(at) === charCodes.backslash) at -= 1;
  return (quoteIndex - at) % 2 === 0;
}

/** Returns the approximate memory of a value in bytes. Throws a `JsonFault` if the value has too many levels. */
export function estimateBytes(value: unknown, depth = 0): number {
  if (typeof value === 'string') return memorySizes.text + value.length;
  if (typeof value !== 'object' || value === null) return memorySizes.scalar;
  if (depth === maxDepth) throw new JsonFault('depth');
  let bytes: number = memorySizes.container;
  if (Array.isArray(value)) for (const item of value) bytes += estimateBytes(item, depth + 1);
  else
    for (const name in value)
      bytes += memorySizes.text + name.length + estimateBytes((value as Members)[name], depth + 1);
  return bytes;
}

type Members = Readonly<Record<string, unknown>>;

type JsonFaultReason = 'syntax' | 'depth' | 'duplicate_key' | 'long_number' | 'too_many_values' | 'too_large';

const faultTexts: Readonly<Record<JsonFaultReason, string>> = {
  syntax: 'not valid JSON',
  depth: 'JSON nested deeper than 64 levels',
  duplicate_key: 'JSON with a repeated key',
  long_number: 'JSON with a number of more than 1,000 digits',
  too_many_values: 'JSON with more than 5 million names and values',
  too_large: 'JSON that takes up more than 160 MiB of memory',
};

/** The error for a text that is not valid JSON or exceeds a limit. It holds no part of the text. */
export class JsonFault extends Error {
  readonly reason: JsonFaultReason;
  /** The number of characters before the fault; undefined if the position is unknown. */
  readonly position: number | undefined;

  constructor(reason: JsonFaultReason, position?: number) {
    super(position === undefined ? faultTexts[reason] : `${faultTexts[reason]} at position ${position}`);
    this.name = 'JsonFault';
    this.reason = reason;
    this.position = position;
  }
}

/** A number and its JSON spelling, for a number that JavaScript would write differently. */
class SpelledNumber {
  readonly value: number | bigint;
  readonly spelling: string;

  constructor(value: number | bigint, spelling: string) {
    this.value = value;
    this.spelling = spelling;
  }
}

/** Maximum number of digits in a number. A longer number only wastes memory. */
const maxDigits = 1_000;
const integerPattern = /^-?\d+$/;
/** Matches numbers that JavaScript may read or write differently: long numbers, fractions, exponents and `-0`. */
const specialNumberPattern = /(?:^|[[:,\s])(-0|-?\d{16}\d*|-?\d+[.eE][\d.eE+-]*)(?=[\s,\]}]|$)/g;

/** True if `JSON.parse` would lose digits or the spelling of a number: `9007199254740993`, `1.10`, `1e400`, `-0`. */
function hasSpecialNumber(text: string): boolean {
  for (const [, digits = ''] of text.matchAll(specialNumberPattern)) {
    if (digits.length > maxDigits || typeof readNumber(digits) !== 'number') return true;
  }
  return false;
}

function readNumber(text: string): number | bigint | SpelledNumber {
  if (text.length > maxDigits && text.replaceAll(/\D/g, '').length > maxDigits) throw new JsonFault('long_number');
  const value = Number(text);
  if (integerPattern.test(text) && text !== '-0') return Number.isSafeInteger(value) ? value : BigInt(text);
  if (!Number.isFinite(value)) return new SpelledNumber(wholePart(text), text);
  return String(value) === text ? value : new SpelledNumber(value, text);
}

/** Returns the integer part of a number that JavaScript cannot hold, such as `1.5e400`; Infinity if it is too long. */
function wholePart(text: string): number | bigint {
  const [, sign = '', digits = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digitCount = digits.length + Number(exponent);
  if (digitCount > maxDigits) return Number(text);
  return BigInt(sign + (digits + fraction).padEnd(digitCount, '0').slice(0, digitCount));
}

/** Numbers with their spelling, by the object or list that holds the number, then by the number's key in it. */
const spelledNumbers = new WeakMap<object, Map<string, SpelledNumber>>();

function keepSpelling(holder: object, key: string, number: SpelledNumber): void {
  const numbers = spelledNumbers.get(holder) ?? new Map<string, SpelledNumber>();
  numbers.set(key, number);
  spelledNumbers.set(holder, numbers);
}

/** Returns the JSON spelling of the number under a key; undefined if JavaScript writes the number like this, too. */
export function spellingOf(holder: object, key: string): string | undefined {
  const number = spelledNumbers.get(holder)?.get(key);
  return number && Object.is(Reflect.get(holder, key), number.value) ? number.spelling : undefined;
}

export function hasSpellings(holder: object): boolean {
  return spelledNumbers.has(holder);
}

export function copySpellings(from: object, to: object): void {
  if (!spelledNumbers.has(from)) return;
  for (const key of Object.keys(to)) copySpelling(from, key, to);
}

/** Copies the spelling of one number to the object or list into which the number was copied, there under `newKey`. */
export function copySpelling(from: object, key: string, to: object, newKey = key): void {
  const number = spelledNumbers.get(from)?.get(key);
  if (number) keepSpelling(to, newKey, number);
}
