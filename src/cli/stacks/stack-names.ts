import { isPattern } from '../../contract/values/pattern.ts';
import { Problem } from '../../problems/problem.ts';
import type { Options } from '../arguments/options.ts';

type ReadText = (path: string, mostBytes?: number) => Promise<string>;

const stdin = '-';

/** Whether `-s` has a form that may name several stacks: `a,b`, a pattern, `@FILE`, or `-` for stdin. */
export function namesSeveral({ stack = '' }: Options): boolean {
  return stack === stdin || stack.startsWith('@') || stack.includes(',') || isPattern(stack);
}

/** The file that names the stacks; undefined where the flag itself does. */
function fileOf(stack: string): string | undefined {
  if (stack === stdin) return stdin;
  return stack.startsWith('@') ? stack.slice(1) : undefined;
}

/** Reads texts; stdin that names the stacks would be taken for a value too. */
export function besideStacks({ stack = '' }: Options, readText: ReadText): ReadText {
  if (fileOf(stack) !== stdin) return readText;
  return async (path, mostBytes) => {
    if (path === stdin) throw new Problem('usage', 'use stdin for -s or for another value, not both');
    return readText(path, mostBytes);
  };
}

/** The names, UIDs and patterns of `-s`, each once. */
export async function stackNames({ stack = '' }: Options, readText: ReadText): Promise<readonly string[]> {
  const file = fileOf(stack);
  if (file === undefined) return split(stack);
  if (file === '') throw new Problem('usage', '-s @ needs a file name: -s @FILE');
  const names = linesOf(await readText(file));
  if (names.length > 0) return names;
  throw new Problem('usage', `no stack in ${file === stdin ? 'stdin' : file}`);
}

/** Throws usage for a pattern where a change is to be made: a change names its stacks. */
export function refusePatterns(names: readonly string[], path: readonly string[]): void {
  const pattern = names.find(isPattern);
  if (pattern === undefined) return;
  const message = `"${path.join(' ')}" needs exact names of stacks, not "${pattern}"; nothing was changed`;
  throw new Problem('usage', message, { hint: { path: 'stack list' } });
}

/** `-s @FILE` or `-s -` of one line, as that line; other options as they are. */
export async function withOnlyStack(options: Options, readText: ReadText): Promise<Options> {
  if (fileOf(options.stack ?? '') === undefined) return options;
  const [only, ...more] = await stackNames(options, readText);
  return only === undefined || more.length > 0 ? options : { ...options, stack: only };
}

function split(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('')) throw new Problem('usage', `--stack must be names separated by commas, not "${text}"`);
  return [...new Set(names)];
}

/** One name a line; what follows a # is a remark. */
function linesOf(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.replace(/#.*/, '').trim());
  return [...new Set(lines.filter((line) => line !== ''))];
}
