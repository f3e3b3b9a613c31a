import { Problem } from '../../problems/problem.ts';
import type { Options } from '../words/options.ts';

type ReadText = (path: string) => Promise<string>;

/** Reads texts; stdin that names the stacks would be taken for a value too. */
export function besideStacks({ stacksFile }: Options, readText: ReadText): ReadText {
  if (stacksFile !== '-') return readText;
  return async (path) => {
    if (path === '-') throw new Problem('usage', 'stdin cannot name the stacks and hold something else too');
    return readText(path);
  };
}

/** The stacks of `-s a,b` or --stacks-file, each once; undefined when one stack at most was named. */
export async function stackNames(
  { stack, stacksFile }: Options,
  readText: ReadText,
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
