/** One character or one quoted part of a word. What a shell would expand or act on is none, unless it is quoted. */
const piece = /[^\s'"\\|&;<>$`~]|'[^']*'|"(?:[^"\\$`]|\\.)*"|\\./.source;
const line = new RegExp(`^(?:\\s|${piece})*$`);
const words = new RegExp(`(?:${piece})+`, 'g');

/** The words of a command line with quotes and backslashes; undefined for none, and for what needs a shell. */
export function splitCommand(text: string): readonly string[] | undefined {
  if (!line.test(text)) return undefined;
  const found = (text.match(words) ?? []).map(unquoted);
  const [program] = found;
  // An assignment in front of the program is syntax of the shell too.
  return !program || /^\w+=/.test(program) ? undefined : found;
}

function unquoted(word: string): string {
  return word.replace(
    /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/g,
    (_, single: string | undefined, double: string | undefined, sign: string) =>
      single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? sign,
  );
}
