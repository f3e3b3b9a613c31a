import { Problem } from '../../problems/problem.ts';

/** One argument of `process scale`: `worker=+1`. */
export interface ScaleArgument {
  readonly name: string;
  /** `=` for a count, `+` and `-` for a difference. */
  readonly sign: '=' | '+' | '-';
  readonly number: number;
}

const grammar = 'write NAME=N, NAME=+N or NAME=-N';

/** `worker=3`, `worker=+1`, `worker=-1`. Throws usage. */
export function readScaleArguments(changes: readonly string[]): readonly ScaleArgument[] {
  const read = changes.map(readArgument);
  const twice = read.find(({ name }, index) => read.findIndex((other) => other.name === name) < index);
  if (twice) throw new Problem('usage', `"${twice.name}" is scaled twice; say it once`);
  return read;
}

function readArgument(argument: string): ScaleArgument {
  const [, name, sign, digits] = /^([^=]+)=([+-]?)([^=+-]*)$/.exec(argument) ?? [];
  if (name === undefined || digits === undefined) {
    throw new Problem('usage', `"${argument}" does not say how many: ${grammar}`);
  }
  if (!/^[0-9]{1,4}$/.test(digits)) {
    throw new Problem('usage', `"${argument}" does not end with a whole number up to 9999: ${grammar}`);
  }
  return { name, sign: (sign || '=') as ScaleArgument['sign'], number: Number(digits) };
}

/** The count after the change; never below 0. */
export function scaledCount(before: number, { sign, number }: ScaleArgument): number {
  if (sign === '=') return number;
  return Math.max(0, sign === '+' ? before + number : before - number);
}
