import { Problem, type ProblemDetails } from '../../problems/problem.ts';

/** One argument of `process scale`: `worker=+1`. */
export interface ScaleArgument {
  readonly name: string;
  /** `=` for a count, `+` and `-` for a difference. */
  readonly sign: '=' | '+' | '-';
  readonly number: number;
}

/** `worker +1` as `worker=+1`; undefined where these are not a name and a count. */
function joinedArgument([name = '', count = '', ...more]: readonly string[]): string | undefined {
  return more.length === 0 && /^[^=]+$/.test(name) && /^[+-]?[0-9]{1,4}$/.test(count) ? `${name}=${count}` : undefined;
}

/** `worker=3`, `worker=+1`, `worker=-1`. Throws usage. */
export function readScaleArguments(changes: readonly string[]): readonly ScaleArgument[] {
  const joined = joinedArgument(changes);
  if (joined) {
    const [name = '', count = ''] = changes;
    const meant = [{ given: name, by: joined }, { given: count }];
    throw unreadable(changes.join(' '), { retry: { meant } });
  }
  const read = changes.map(readArgument);
  const twice = read.find(({ name }, index) => read.findIndex((other) => other.name === name) < index);
  if (twice) throw new Problem('usage', `process "${twice.name}" is given twice`);
  return read;
}

function readArgument(argument: string): ScaleArgument {
  const [, name, sign, digits] = /^([^=]+)=([+-]?)([^=+-]*)$/.exec(argument) ?? [];
  if (name === undefined || digits === undefined) {
    throw unreadable(argument);
  }
  if (!/^[0-9]{1,4}$/.test(digits)) {
    throw new Problem('usage', `the count in "${argument}" must be a whole number up to 9999`);
  }
  return { name, sign: (sign || '=') as ScaleArgument['sign'], number: Number(digits) };
}

function unreadable(argument: string, details?: ProblemDetails): Problem {
  return new Problem('usage', `give NAME=N, NAME=+N or NAME=-N, not "${argument}"`, details);
}

/** The count after the change; never below 0. */
export function scaledCount(before: number, { sign, number }: ScaleArgument): number {
  if (sign === '=') return number;
  return Math.max(0, sign === '+' ? before + number : before - number);
}
