import { plainWordPositions } from '../arguments/options.ts';

/** Returns a function that finds our names for foreign names, in lines `OURS <- THEIRS, THEIRS`. # begins a comment. */
export function createDictionary(lines: string): (...foreignNames: readonly string[]) => readonly string[] {
  const entries = lines
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .map((line) => line.trim().split(/ ?<- /));
  return (...foreignNames) =>
    entries.flatMap(([ourName = '', namesText = '']) => {
      const listedNames = namesText.split(', ');
      return foreignNames.some((name) => listedNames.includes(name)) ? [ourName] : [];
    });
}

/** Replaces the first `count` plain words of a line. The new words stand in the place of the first. */
export function replaceFirstWords(line: readonly string[], count: number, newWords: readonly string[]) {
  const [firstAt, ...furtherPositions] = plainWordPositions(line).slice(0, count);
  return line.flatMap((word, at) => {
    if (at === firstAt) return newWords;
    return furtherPositions.includes(at) ? [] : [word];
  });
}
