import { Problem } from '../../problems/problem.ts';

/** One argument of `process scale`: `worker=+1`. */
export interface ScaleArgument {
  readonly name: string;
  /** `=` for a count, `+` and `-` for a difference. */
  readonly sign: '=' | '+' | '-';
  readonly number: number;
}

/** `worker=3`, `worker=+1`, `worker=-1`. Throws usage. */
export function readScaleArguments(changes: readonly string[]): readonly ScaleArgument[] {
  const read = changes.map(readArgument);
  const twice = read.find(({ name }, index) => read.findIndex((other) => other.name === name) < index);
  if (twice) throw new Problem('usage', `process "${twice.name}" is given twice`);
  return read;
}

function readArgument(argument: string): ScaleArgument {
  const [, name, sign, digits] = /^([^=]+)=([+-]?)([^=+-]*)$/.exec(argument) ?? [];
  if (name === undefined || digits === undefined) {
    throw new Problem('usage', `give NAME=N, NAME=+N or NAME=-N, not "${argument}"`);
  }
  if (!/^[0-9]{1,4}$/.test(digits)) {
    throw new Problem('usage', `the count in "${argument}" must be a whole number up to 9999`);
  }
  return { name, sign: (sign || '=') as ScaleArgument['sign'], number: Number(digits) };
}

/** The count after the change; never below 0. */
export function scaledCount(before: number, { sign, number }: ScaleArgument): number {
  if (sign === '=') return number;
  return Math.max(0, sign === '+' ? before + number : before - number);
}
