import { lazyRegExp } from '../../json/invisible.ts';

const asciiPattern = /^[\x20-\x7e]*$/;
const zeroWidthPattern = lazyRegExp(String.raw`^[\p{Mn}\p{Me}\u1160-\u11ff\ud7b0-\ud7ff]$`, 'u');
const pictographPattern = lazyRegExp(String.raw`^\p{Extended_Pictographic}$`, 'u');
const skinTonePattern = lazyRegExp(String.raw`^\p{Emoji_Modifier}$`, 'u');
const emojiPattern = lazyRegExp(String.raw`^(?!\p{Regional_Indicator})\p{Emoji_Presentation}$`, 'u');
const eastAsianPattern = lazyRegExp(
  String.raw`^[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19` +
    String.raw`\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18d8f}\u{1aff0}-\u{1b2ff}\u{1f200}-\u{1f265}` +
    String.raw`\u{20000}-\u{3fffd}]$`,
  'u',
);

/** Returns the number of terminal columns of a text without control characters. */
export function cellWidth(text: string): number {
  return asciiPattern.test(text) ? text.length : measureText(text).width;
}

/** Cuts a text that is too wide, with `…` at its end: `cutToWidth('canary', 4)` is `can…`. */
export function cutToWidth(text: string, width: number): string {
  if (cellWidth(text) <= width) return text;
  if (asciiPattern.test(text)) return `${text.slice(0, width - 1)}…`;
  return `${text.slice(0, measureText(text, width - 1).end)}…`;
}

/** Wraps a text at blanks to at most `maxLines` lines. A last line that is too wide is cut. */
export function wrapToWidth(text: string, width: number, maxLines: number): readonly string[] {
  if (maxLines === 1 || cellWidth(text) <= width) return [cutToWidth(text, width)];
  const { end } = measureText(text, width);
  const blankIndex = text.lastIndexOf(' ', end);
  const firstLine = text.slice(0, blankIndex > 0 ? blankIndex : end);
  return [firstLine.trimEnd(), ...wrapToWidth(text.slice(firstLine.length).trimStart(), width, maxLines - 1)];
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
    const fitsOnLine = lines.length > 0 && joinedWidth <= width;
    lines.push(fitsOnLine ? `${lines.pop()} ${word}` : word);
    usedWidth = fitsOnLine ? joinedWidth : cellWidth(word);
  }
  return lines;
}

/** Matches a command at the end of a message. The user may paste the command into a shell. */
const commandPattern = /(?:^|(?<=: ))(?:stackops|rm|mv|mkdir|chmod|export|unset|sudo) .*$/;

/** Breaks a message between words. Further lines are indented. A command stays whole, so that it can be copied. */
export function messageLines(text: string, width: number, indent = 2): readonly string[] {
  if (cellWidth(text) <= width - indent) return [text];
  const [commandText = ''] = commandPattern.exec(text) ?? [];
  // A message that is only a command wider than the terminal is not broken.
  if (commandText === text && cellWidth(commandText) >= width) return [text];
  const head = text.slice(0, text.length - commandText.length).trimEnd();
  const words = [...head.split(' '), ...(commandText === '' ? [] : [commandText])];
  const indentLine = (line: string) => ' '.repeat(Math.max(1, Math.min(indent, width - cellWidth(line)))) + line;
  return linesOfWords(words, width - indent).map((line, at) => (at === 0 ? line : indentLine(line)));
}

function measureText(text: string, maxWidth = Number.POSITIVE_INFINITY) {
  let width = 0;
  let end = 0;
  let previousCharacter = '';
  for (const character of text) {
    const extraWidth = addedWidth(character, previousCharacter);
    if (width + extraWidth > maxWidth) break;
    width += extraWidth;
    end += character.length;
    previousCharacter = character;
  }
  return { width, end };
}

function addedWidth(character: string, previousCharacter: string): 0 | 1 | 2 {
  if (asciiPattern.test(character)) return 1;
  if (character === '\ufe0f')
    return pictographPattern().test(previousCharacter) && characterWidth(previousCharacter) === 1 ? 1 : 0;
  if (skinTonePattern().test(character) && pictographPattern().test(previousCharacter)) return 0;
  return characterWidth(character);
}

function characterWidth(character: string): 0 | 1 | 2 {
  if (zeroWidthPattern().test(character) || character === '\ufe0e') return 0;
  return eastAsianPattern().test(character) || emojiPattern().test(character) ? 2 : 1;
}
