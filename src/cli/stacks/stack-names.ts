import { isPattern } from '../../contract/values/text.ts';
import { CliError } from '../../errors/cli-error.ts';
import { readNames } from '../../fields/read-value.ts';
import type { App } from '../app.ts';
import { targetKindsOf } from '../arguments/arguments.ts';
import type { Options, TypedCommand } from '../arguments/options.ts';

type ReadText = App['readText'];

const stdinName = '-';

/** True when `-s` may name several stacks: `a,b`, a pattern, `@FILE`, or `-` for stdin. */
export function namesSeveralStacks({ stack = '' }: Options): boolean {
  return stack === stdinName || stack.startsWith('@') || stack.includes(',') || isPattern(stack);
}

function fileOfStackNames(stack: string): string | undefined {
  if (stack === stdinName) return stdinName;
  return stack.startsWith('@') ? stack.slice(1) : undefined;
}

/** Returns `readText` for values beside the stacks. It refuses stdin if `-s` already reads stdin. */
export function reserveStdinForStacks({ stack = '' }: Options, readText: ReadText): ReadText {
  if (fileOfStackNames(stack) !== stdinName) return readText;
  return async (path, mostBytes) => {
    if (path === stdinName) throw new CliError('usage', 'use stdin for -s or for another value, not both');
    return readText(path, mostBytes);
  };
}

export async function readStackNames({ stack = '' }: Options, readText: ReadText): Promise<readonly string[]> {
  const file = fileOfStackNames(stack);
  if (file === undefined) return [...new Set(readNames(stack, '--stack'))];
  if (file === '') throw new CliError('usage', '-s @ needs a file name: -s @FILE');
  const lines = (await readText(file)).split('\n').map((line) => line.replace(/#.*/, '').trim());
  const names = [...new Set(lines.filter((line) => line !== ''))];
  if (names.length > 0) return names;
  throw new CliError('usage', `no stack in ${file === stdinName ? 'stdin' : file}`);
}

/** Lets a command for one stack take the only stack of `-s @FILE` or `-s -`. */
export async function withOnlyStack(line: TypedCommand, readText: ReadText): Promise<TypedCommand> {
  const { command, options } = line;
  const takesOneStack = command.targets.stacks !== 'several' && targetKindsOf(command).has('stack');
  if (!takesOneStack || fileOfStackNames(options.stack ?? '') === undefined) return line;
  const [onlyName, ...moreNames] = await readStackNames(options, readText);
  return onlyName === undefined || moreNames.length > 0 ? line : { ...line, options: { ...options, stack: onlyName } };
}
