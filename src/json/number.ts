import { JsonFault } from './fault.ts';

/** A number, and its JSON spelling if JavaScript would write it differently. */
export class SpelledNumber {
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
const candidates = /(?:^|[[:,\s])(-0|-?\d{16}\d*|-?\d+[.eE][\d.eE+-]*)(?=[\s,\]}]|$)/g;

/** True when `JSON.parse` would lose digits or the spelling of a number: `9007199254740993`, `1.10`, `1e400`, `-0`. */
export function hasSpecialNumber(text: string): boolean {
  for (const [, digits = ''] of text.matchAll(candidates)) {
    if (digits.length > mostDigits || typeof readNumber(digits) !== 'number') return true;
  }
  return false;
}

/** Parses a JSON number; integers beyond 2^53 become bigint. */
export function readNumber(text: string): number | bigint | SpelledNumber {
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
