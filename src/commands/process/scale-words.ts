import { Problem } from '../../problems/problem.ts';

/** One word of `process scale`. */
export interface ScaleWord {
  readonly name: string;
  /** `=` for a count, `+` and `-` for a difference. */
  readonly sign: '=' | '+' | '-';
  readonly number: number;
}

const grammar = 'write NAME=N, NAME=+N or NAME=-N';

/** `worker=3`, `worker=+1`, `worker=-1`. Throws usage. */
export function readScaleWords(words: readonly string[]): readonly ScaleWord[] {
  const read = words.map(readWord);
  const twice = read.find(({ name }, index) => read.findIndex((other) => other.name === name) < index);
  if (twice) throw new Problem('usage', `"${twice.name}" is scaled twice; say it once`);
  return read;
}

function readWord(word: string): ScaleWord {
  const [, name, sign, digits] = /^([^=]+)=([+-]?)([^=+-]*)$/.exec(word) ?? [];
  if (name === undefined || digits === undefined) {
    throw new Problem('usage', `"${word}" does not say how many: ${grammar}`);
  }
  if (!/^[0-9]{1,4}$/.test(digits)) {
    throw new Problem('usage', `"${word}" does not end with a whole number up to 9999: ${grammar}`);
  }
  return { name, sign: (sign || '=') as ScaleWord['sign'], number: Number(digits) };
}

/** The count after the change; never below 0. */
export function scaledCount(before: number, { sign, number }: ScaleWord): number {
  if (sign === '=') return number;
  return Math.max(0, sign === '+' ? before + number : before - number);
}
