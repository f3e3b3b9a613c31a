import { lazyRegExp } from '../../json/invisible.ts';

const asciiPattern = /^[\x20-\x7e]*$/;
const zeroWidth = lazyRegExp(String.raw`^[\p{Mn}\p{Me}\u1160-\u11ff\ud7b0-\ud7ff]$`, 'u');
const pictograph = lazyRegExp(String.raw`^\p{Extended_Pictographic}$`, 'u');
const skinTone = lazyRegExp(String.raw`^\p{Emoji_Modifier}$`, 'u');
const emoji = lazyRegExp(String.raw`^(?!\p{Regional_Indicator})\p{Emoji_Presentation}$`, 'u');
const eastAsian = lazyRegExp(
  String.raw`^[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19` +
    String.raw`\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18d8f}\u{1aff0}-\u{1b2ff}\u{1f200}-\u{1f265}` +
    String.raw`\u{20000}-\u{3fffd}]$`,
  'u',
);

/** Returns the number of terminal columns that a text without control characters uses. */
export function cellWidth(text: string): number {
  return asciiPattern.test(text) ? text.length : measure(text).width;
}

/** Cuts a text that is too wide, with `…` at its end: `cutToWidth('canary', 4)` is `can…`. */
export function cutToWidth(text: string, width: number): string {
  if (cellWidth(text) <= width) return text;
  if (asciiPattern.test(text)) return `${text.slice(0, width - 1)}…`;
  return `${text.slice(0, measure(text, width - 1).end)}…`;
}

/** Wraps a text at blanks to at most `maxLines` lines. A last line that is too wide is cut. */
export function wrapToWidth(text: string, width: number, maxLines: number): readonly string[] {
  if (maxLines === 1 || cellWidth(text) <= width) return [cutToWidth(text, width)];
  const { end } = measure(text, width);
  const blank = text.lastIndexOf(' ', end);
  const head = text.slice(0, blank > 0 ? blank : end);
  return [head.trimEnd(), ...wrapToWidth(text.slice(head.length).trimStart(), width, maxLines - 1)];
}

/** Wraps a text at blanks. A word that is wider than a line stays whole, so that it can be copied. */
export function wrapWords(text: string, width: number): readonly string[] {
  return linesOfWords(text.split(' '), width);
}

function linesOfWords(words: readonly string[], width: number): readonly string[] {
  const lines: string[] = [];
  let usedWidth = 0;
  for (const word of words) {
    const joinedWidth = usedWidth + 1 + cellWidth(word);
    const joins = lines.length > 0 && joinedWidth <= width;
    lines.push(joins ? `${lines.pop()} ${word}` : word);
    usedWidth = joins ? joinedWidth : cellWidth(word);
  }
  return lines;
}

/** Matches a command at the end of a message. The user may paste the command into a shell. */
const command = /(?:^|(?<=: ))(?:stackops|rm|mv|mkdir|chmod|export|unset|sudo) .*$/;

/** Breaks a message between words. Further lines are indented. A command stays whole, so that it can be copied. */
export function messageLines(text: string, width: number, indent = 2): readonly string[] {
  if (cellWidth(text) <= width - indent) return [text];
  const [commandText = ''] = command.exec(text) ?? [];
  // A message that is only a command wider than the terminal is not broken.
  if (commandText === text && cellWidth(commandText) >= width) return [text];
  const headWords = text
    .slice(0, text.length - commandText.length)
    .trimEnd()
    .split(' ');
  const indentedText = (line: string) => ' '.repeat(Math.max(1, Math.min(indent, width - cellWidth(line)))) + line;
  return linesOfWords(commandText === '' ? headWords : [...headWords, commandText], width - indent).map((line, at) =>
    at === 0 ? line : indentedText(line),
  );
}

function measure(text: string, maxWidth = Number.POSITIVE_INFINITY): { readonly width: number; readonly end: number } {
  let width = 0;
  let end = 0;
  let previous = '';
  for (const point of text) {
    const addedColumns = addedWidth(point, previous);
    if (width + addedColumns > maxWidth) break;
    width += addedColumns;
    end += point.length;
    previous = point;
  }
  return { width, end };
}

function addedWidth(point: string, previous: string): 0 | 1 | 2 {
  if (asciiPattern.test(point)) return 1;
  if (point === '\ufe0f') return pictograph().test(previous) && pointWidth(previous) === 1 ? 1 : 0;
  if (skinTone().test(point) && pictograph().test(previous)) return 0;
  return pointWidth(point);
}

function pointWidth(point: string): 0 | 1 | 2 {
  if (zeroWidth().test(point) || point === '\ufe0e') return 0;
  return eastAsian().test(point) || emoji().test(point) ? 2 : 1;
}
