/** Returns our names for names of other tools. Each line is an entry: `OURS <- THEIRS, THEIRS`. */
export function dictionary(lines: string): (...theirs: readonly string[]) => readonly string[] {
  const entries = lines
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/ ?<- /));
  return (...theirs) =>
    entries.flatMap(([ours = '', names = '']) => {
      const known = names.split(', ');
      return theirs.some((name) => known.includes(name)) ? [ours] : [];
    });
}
