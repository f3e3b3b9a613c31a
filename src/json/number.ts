/** A number, and its JSON spelling if JavaScript would write it differently. */
export interface SpelledNumber {
  readonly value: number | bigint;
  readonly spelling: string;
}

const isInteger = /^-?\d+$/;
/** The shortest integer beyond 2^53 has sixteen digits. */
export const riskyDigits = 16;
const hasPointOrExponent = /[.eE]/;

/** True when `JSON.parse` would lose digits or the spelling: `9007199254740993`, `1.10`, `1e400`, `-0`. */
export function losesSpelling(text: string): boolean {
  if (text === '-0') return true;
  if (hasPointOrExponent.test(text)) return String(Number(text)) !== text;
  return text.length >= riskyDigits && !Number.isSafeInteger(Number(text));
}

/** Parses a JSON number; integers beyond 2^53 become bigint. */
export function readNumber(text: string): number | bigint | SpelledNumber {
  const value = Number(text);
  if (isInteger.test(text) && text !== '-0') return Number.isSafeInteger(value) ? value : BigInt(text);
  if (!Number.isFinite(value)) return { value: wholePart(text), spelling: text };
  return String(value) === text ? value : { value, spelling: text };
}

/** Longer numbers only waste memory. */
const mostDigits = 1_000;

/** `1.5e400`, which no JavaScript number holds, as the integer it is, or without its fraction; `1e9999` is infinite. */
function wholePart(text: string): number | bigint {
  const [, sign = '', digits = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const length = digits.length + Number(exponent);
  if (length > mostDigits) return Number(text);
  return BigInt(sign + (digits + fraction).padEnd(length, '0').slice(0, length));
}
