import { wrapWords } from '../../output/table/cell-width.ts';

/** The narrowest terminal that is common; a pipe and a wider one get the same page. */
const width = 80;
const indent = 2;
const gap = 2;
const widestLeft = 34;
const labelWidth = 10;

export function paragraph(text: string): string {
  return wrapWords(text, width).join('\n');
}

export function indented(text: string, by = indent): readonly string[] {
  return wrapWords(text, width - by);
}

/** A heading and its lines; empty without lines. */
export function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : [`${title}:`, ...lines.map((line) => `  ${line}`)].join('\n');
}

/** `Fields:   id, name, …`: a title and its text on the same lines, for a part that fits there; empty without text. */
export function labelled(title: string, text: string): string {
  if (text === '') return '';
  return indented(text, labelWidth)
    .map((line, index) => `${(index === 0 ? `${title}:` : '').padEnd(labelWidth)}${line}`)
    .join('\n');
}

/** Parts with an empty line between them; empty ones are left out. */
export function layOutPage(parts: readonly string[]): string {
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}

/** Lines of two columns for a section, the second one wrapped; a name too long for the first has a line of its own. */
export function twoColumns(rows: readonly (readonly [string, string])[]): readonly string[] {
  const left = Math.min(widestLeft, Math.max(0, ...rows.map(([name]) => name.length)) + gap);
  return rows.flatMap(([name, about]) => {
    const [first = '', ...more] = wrapWords(about, width - indent - left);
    const head =
      name.length + gap <= left
        ? [`${name.padEnd(left)}${first}`.trimEnd()]
        : [name, `${' '.repeat(left)}${first}`.trimEnd()];
    return [...head, ...more.map((line) => `${' '.repeat(left)}${line}`)];
  });
}
