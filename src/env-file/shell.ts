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
/** Pieces that mean the same in every shell: nothing that a shell would expand. */
const pieces = /(?:[A-Za-z0-9_./:@%+,=-]+|'[^']*'|\\[^\n])*/y;

/** Reads the lines that `writeShell` writes, and others without expansions. Throws usage with the line of a mistake. */
export function readShell(file: EnvFile): readonly Assignment[] {
  return readAssignments(file, readValue);
}

const readValue: ReadValue = (text, from) => {
  const written = matchAt(pieces, text, from)?.[0] ?? '';
  if (text[from + written.length] === "'") return 'this quote is never closed';
  const value = written.replace(/'([^']*)'|\\(.)/g, (_, quoted: string | undefined, sign: string) => quoted ?? sign);
  return { value, to: from + written.length };
};

/** Lines that sh, bash, zsh and their like can source. Throws usage for a key that is no name of a shell variable. */
export const writeShell: WriteLine = {
  value: (value) => (needsNoQuotes(value) ? value : `'${value.replaceAll("'", "'\\''")}'`),
  line: (key, value) => {
    if (shellName.test(key)) return `export ${key}=${writeShell.value(value)}`;
    throw new Problem('usage', `a shell variable cannot be called "${key}"`, {
      hint: 'export the other keys by name, or use --format dotenv',
    });
  },
};
