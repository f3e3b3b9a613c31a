import { quotedWord } from '../contract/values/shell-word.ts';
import { Problem } from '../problems/problem.ts';
import {
  type Assignment,
  matchAt,
  needsNoQuotes,
  type ReadValue,
  readAssignments,
  type WriteLine,
} from './assignments.ts';
import type { EnvFile } from './entry.ts';

const shellName = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** A piece that means the same in every shell: nothing that a shell would expand. */
const piece = /[A-Za-z0-9_./:@%+,=-]+|'([^']*)'|\\([^\n])/y;

/** Reads the lines that `writeShell` writes, and others without expansions. Throws usage with the line of a mistake. */
export function readShell(file: EnvFile): readonly Assignment[] {
  return readAssignments(file, readValue);
}

const readValue: ReadValue = (text, from) => {
  const values: string[] = [];
  let to = from;
  // One by one: over millions of pieces a pattern runs out of stack.
  for (let found = matchAt(piece, text, to); found; found = matchAt(piece, text, to)) {
    const [whole, quoted, sign] = found;
    values.push(quoted ?? sign ?? whole);
    to += whole.length;
  }
  return text[to] === "'" ? 'this quote is never closed' : { value: values.join(''), to };
};

/** Lines that sh, bash, zsh, fish and their like can source. Throws usage for a key that is no name of a shell variable. */
export const writeShell: WriteLine = {
  value: (value) => (needsNoQuotes(value) ? value : quotedWord(value)),
  line: (key, value) => {
    if (shellName.test(key)) return `export ${key}=${writeShell.value(value)}`;
    throw new Problem('usage', `a shell variable cannot be called "${key}"`, {
      hint: 'export the other keys by name, or use --format json',
    });
  },
};
