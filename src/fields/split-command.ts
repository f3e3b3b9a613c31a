/** One character or one quoted part of a word. Shell syntax matches only inside quotes. */
const piece = /[^\s'"\\|&;<>$`~]|'[^']*'|"(?:[^"\\$`]|\\.)*"|\\./.source;
const line = new RegExp(`^(?:\\s|${piece})*$`);
const words = new RegExp(`(?:${piece})+`, 'g');

/** Splits a command line with quotes and backslashes. Undefined for an empty line, and for one that needs a shell. */
export function splitCommand(text: string): readonly string[] | undefined {
  if (!line.test(text)) return undefined;
  const found = (text.match(words) ?? []).map(unquoted);
  const [program] = found;
  // An assignment in front of the program is shell syntax too.
  return !program || /^\w+=/.test(program) ? undefined : found;
}

function unquoted(word: string): string {
  return word.replace(
    /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/g,
    (_, single: string | undefined, double: string | undefined, sign: string) =>
      single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? sign,
  );
}
