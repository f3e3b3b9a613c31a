import type { ParseOptions } from 'lossless-json';

/** In a longer text the position of a fault takes seconds to find and is of no use. */
const mostScanned = 1024 * 1024;

export interface JsonDocument {
  readonly value: unknown;
  readonly bytes: number;
}

/**
 * Reads the output of a program: at most 64 levels, 5 million names and values, and numbers of 1,000 digits. The last
 * of repeated keys counts. Integers beyond 2^53 become bigint; other numbers keep their spelling beside them
 * (`spellingOf`). Throws a `JsonFault` without content.
 */
export async function readDocument(text: string): Promise<JsonDocument> {
  refuseHeavy(text);
  const plain = parseOrUndefined(text);
  if (plain !== undefined && !hasSpecialNumber(text)) return { value: plain, bytes: estimateBytes(plain) };
  if (plain === undefined && text.length > mostScanned) throw new JsonFault('syntax');
  return losslessly(text, ({ newValue }) => newValue);
}

/**
 * Reads a file written by a person, within the same limits. Refuses a repeated key, because one value would be lost.
 */
export async function readJson(text: string): Promise<unknown> {
  refuseHeavy(text);
  const { value } = await losslessly(text, ({ position }) => {
    // The library reports the position after the quote.
    throw new JsonFault('duplicate_key', position - 1);
  });
  return value;
}

function parseOrUndefined(text: string): unknown {
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
    const value = withoutHolders(parse(text, null, { parseNumber: readNumber, onDuplicateKey }));
    return { value, bytes: estimateBytes(value) };
  } catch (error) {
    if (error instanceof JsonFault) throw error;
    // A deeply nested text overflows the stack of the recursive parser.
    if (error instanceof RangeError) throw new JsonFault('depth');
    const [, position = text.length] = /at position (\d+)$/.exec(String(error)) ?? [];
    throw new JsonFault('syntax', Number(position));
  }
}

function withoutHolders(value: unknown): unknown {
  if (value instanceof SpelledNumber) return withoutHolder(value);
  if (typeof value !== 'object' || value === null) return value;
  for (const [key, item] of Object.entries(value)) {
    if (typeof item !== 'object' || item === null) continue;
    if (!(item instanceof SpelledNumber)) withoutHolders(item);
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

const maxDepth = 64;
/** Includes names, because they use memory. */
const maxValues = 5_000_000;
const maxBytes = 160 * 1024 * 1024;
/** A shorter text cannot use much memory. */
const harmlessLength = 1024 * 1024;
/** Approximate bytes in V8; a text adds its characters. */
const size = { container: 56, text: 24, scalar: 8 } as const;
const charCode = { quote: 34, comma: 44, colon: 58, backslash: 92, list: 91, object: 123 } as const;

function refuseHeavy(text: string): void {
  if (text.length <= harmlessLength) return;
  let bytes = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === charCode.quote) {
      const end = endOfText(text, at);
      bytes += size.text + end - at;
      at = end;
      continue;
    }
    if (char === charCode.list || char === charCode.object) bytes += size.container;
    if (bytes > maxBytes) throw new JsonFault('too_large');
    // A comma or colon precedes each name and value except the first of a list or an object.
    if (char !== charCode.comma && char !== charCode.colon) continue;
    values += 1;
    bytes += size.scalar;
    if (values > maxValues) throw new JsonFault('too_many_values');
  }
}

function endOfText(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, quote: number): boolean {
  let at = quote - 1;
  while (text.charCodeAt(at) === charCode.backslash) at -= 1;
  return (quote - at) % 2 === 0;
}

/** Approximate memory of a value in bytes. Throws a `JsonFault` if it is nested too deeply for recursive functions. */
export function estimateBytes(value: unknown, depth = 0): number {
  if (typeof value === 'string') return size.text + value.length;
  if (typeof value !== 'object' || value === null) return size.scalar;
  if (depth === maxDepth) throw new JsonFault('depth');
  let bytes: number = size.container;
  if (Array.isArray(value)) for (const item of value) bytes += estimateBytes(item, depth + 1);
  else for (const name in value) bytes += size.text + name.length + estimateBytes((value as Holder)[name], depth + 1);
  return bytes;
}

type Holder = Readonly<Record<string, unknown>>;

type JsonFaultReason = 'syntax' | 'depth' | 'duplicate_key' | 'long_number' | 'too_many_values' | 'too_large';

const faultTexts: Readonly<Record<JsonFaultReason, string>> = {
  syntax: 'not valid JSON',
  depth: 'JSON nested deeper than 64 levels',
  duplicate_key: 'JSON with a repeated key',
  long_number: 'JSON with a number of more than 1,000 digits',
  too_many_values: 'JSON with more than 5 million names and values',
  too_large: 'JSON that takes up more than 160 MiB of memory',
};

/** A text is not valid JSON. The error has the reason and the position, but no part of the text. */
export class JsonFault extends Error {
  readonly reason: JsonFaultReason;
  /** Characters before the fault, if the reader knows the position. */
  readonly position: number | undefined;

  constructor(reason: JsonFaultReason, position?: number) {
    super(position === undefined ? faultTexts[reason] : `${faultTexts[reason]} at position ${position}`);
    this.name = 'JsonFault';
    this.reason = reason;
    this.position = position;
  }
}

/** A number, and its JSON spelling if JavaScript would write it differently. */
class SpelledNumber {
  readonly value: number | bigint;
  readonly spelling: string;

  constructor(value: number | bigint, spelling: string) {
    this.value = value;
    this.spelling = spelling;
  }
}

/** A longer number only wastes memory. */
const mostDigits = 1_000;
const isInteger = /^-?\d+$/;
/** Numbers that JavaScript may read or write differently: long ones, fractions, exponents and `-0`. */
const specialNumbers = /(?:^|[[:,\s])(-0|-?\d{16}\d*|-?\d+[.eE][\d.eE+-]*)(?=[\s,\]}]|$)/g;

/** True when `JSON.parse` would lose digits or the spelling of a number: `9007199254740993`, `1.10`, `1e400`, `-0`. */
function hasSpecialNumber(text: string): boolean {
  for (const [, digits = ''] of text.matchAll(specialNumbers)) {
    if (digits.length > mostDigits || typeof readNumber(digits) !== 'number') return true;
  }
  return false;
}

function readNumber(text: string): number | bigint | SpelledNumber {
  if (text.length > mostDigits && text.replaceAll(/\D/g, '').length > mostDigits) throw new JsonFault('long_number');
  const value = Number(text);
  if (isInteger.test(text) && text !== '-0') return Number.isSafeInteger(value) ? value : BigInt(text);
  if (!Number.isFinite(value)) return new SpelledNumber(wholePart(text), text);
  return String(value) === text ? value : new SpelledNumber(value, text);
}

/** The integer part of a number that JavaScript cannot hold, such as `1.5e400`; `1e9999` is infinite. */
function wholePart(text: string): number | bigint {
  const [, sign = '', digits = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const length = digits.length + Number(exponent);
  if (length > mostDigits) return Number(text);
  return BigInt(sign + (digits + fraction).padEnd(length, '0').slice(0, length));
}

/** Keyed by the object or list that holds the number, and the name of the number in it. */
const spelled = new WeakMap<object, Map<string, SpelledNumber>>();

function keepSpelling(holder: object, key: string, number: SpelledNumber): void {
  const known = spelled.get(holder) ?? new Map<string, SpelledNumber>();
  known.set(key, number);
  spelled.set(holder, known);
}

/** The JSON spelling of the number under a key; undefined when JavaScript spells it the same. */
export function spellingOf(holder: object, key: string): string | undefined {
  const known = spelled.get(holder)?.get(key);
  return known && Object.is(Reflect.get(holder, key), known.value) ? known.spelling : undefined;
}

export function hasSpellings(holder: object): boolean {
  return spelled.has(holder);
}

/** Copies the spellings of all members of an object. */
export function copySpellings(from: object, to: object): void {
  if (!spelled.has(from)) return;
  for (const key of Object.keys(to)) copySpelling({ holder: from, key }, { holder: to, key });
}

/** Copies the spelling along with members of an object or items of a list. */
export function copySpelling(
  from: { readonly holder: object; readonly key: string },
  to: { readonly holder: object; readonly key: string },
): void {
  const known = spelled.get(from.holder)?.get(from.key);
  if (known) keepSpelling(to.holder, to.key, known);
}
