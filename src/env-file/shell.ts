import { quotedWord } from '../contract/values/shell-word.ts';
import { CliError } from '../errors/cli-error.ts';
import { type LineFormat, matchAt, needsNoQuotes, type ReadValue } from './assignments.ts';

const shellName = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** A part of a word that no shell expands. */
const piece = /[A-Za-z0-9_./:@%+,=-]+|'([^']*)'|\\([^\n])/y;

const readValue: ReadValue = (text, from) => {
  const values: string[] = [];
  let to = from;
  // A loop, because a pattern would overflow the stack on millions of parts.
  for (let found = matchAt(piece, text, to); found; found = matchAt(piece, text, to)) {
    const [whole, quoted, sign] = found;
    values.push(quoted ?? sign ?? whole);
    to += whole.length;
  }
  return text[to] === "'" ? 'this quote is never closed' : { value: values.join(''), to };
};

/** Lines that every shell can source. Throws usage for a key that is not a valid name of a shell variable. */
export const shell: LineFormat = {
  read: readValue,
  value: (value) => (needsNoQuotes(value) ? value : quotedWord(value)),
  line: (key, value) => {
    if (shellName.test(key)) return `export ${key}=${shell.value(value)}`;
    throw new CliError('usage', `a shell variable cannot be called "${key}"`, {
      hint: 'export the other keys by name, or use --format json',
    });
  },
};
