import { quotedWord } from '../contract/values/shell-word.ts';
import { CliError } from '../errors/cli-error.ts';
import { type LineFormat, matchAt, needsNoQuotes, type ReadValue } from './assignments.ts';

const shellName = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** A piece that means the same in every shell: nothing that a shell would expand. */
const piece = /[A-Za-z0-9_./:@%+,=-]+|'([^']*)'|\\([^\n])/y;

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

/** Lines that every shell can source. Spelling throws usage for a key that is no name of a shell variable. */
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
