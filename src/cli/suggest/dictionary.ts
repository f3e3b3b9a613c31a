/** Returns a function that finds our names for foreign names, in lines `OURS <- THEIRS, THEIRS`. # begins a comment. */
export function createDictionary(lines: string): (...foreignNames: readonly string[]) => readonly string[] {
  const entries = lines
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .map((line) => line.trim().split(/ ?<- /));
  return (...foreignNames) =>
    entries.flatMap(([ourName = '', list = '']) => {
      const listedNames = list.split(', ');
      return foreignNames.some((name) => listedNames.includes(name)) ? [ourName] : [];
    });
}
