/** A number as JavaScript has it, and as JSON spelled it where the two differ. */
export interface SpelledNumber {
  readonly value: number | bigint;
  readonly spelling: string;
}

const isInteger = /^-?\d+$/;
/** The shortest integer beyond 2^53 has sixteen digits. */
export const riskyDigits = 16;
const hasPointOrExponent = /[.eE]/;

/** Whether `JSON.parse` would lose digits or the spelling of a number that JSON holds: `9007199254740993`, `1.10`, `1e400`, `-0`. */
export function losesSpelling(text: string): boolean {
  if (text === '-0') return true;
  if (hasPointOrExponent.test(text)) return String(Number(text)) !== text;
  return text.length >= riskyDigits && !Number.isSafeInteger(Number(text));
}

/** The number that a JSON text means; integers beyond 2^53 as bigint. Throws a RangeError for one that nothing can hold. */
export function readNumber(text: string): number | bigint | SpelledNumber {
  const value = Number(text);
  if (isInteger.test(text) && text !== '-0') return Number.isSafeInteger(value) ? value : BigInt(text);
  // Infinity could not be written back.
  if (!Number.isFinite(value)) return { value: wholeNumber(text), spelling: text };
  return String(value) === text ? value : { value, spelling: text };
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
