import { Problem } from '../problems/problem.ts';
import type { Options } from './options.ts';

/** The stacks of `-s a,b` or --stacks-file, each once; undefined when one stack at most was named. */
export async function stackNames(
  { stack, stacksFile }: Options,
  readText: (path: string) => Promise<string>,
): Promise<readonly string[] | undefined> {
  if (stacksFile === undefined) return stack?.includes(',') ? split(stack) : undefined;
  if (stack !== undefined) throw new Problem('usage', '--stack and --stacks-file exclude each other');
  const names = linesOf(await readText(stacksFile));
  if (names.length > 0) return names;
  throw new Problem('usage', `${stacksFile === '-' ? 'stdin' : stacksFile} names no stack`);
}

function split(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('')) throw new Problem('usage', `--stack is "${text}"; it must be names with commas`);
  return [...new Set(names)];
}

/** One name a line; what follows a # is a remark. */
function linesOf(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.replace(/#.*/, '').trim());
  return [...new Set(lines.filter((line) => line !== ''))];
}
