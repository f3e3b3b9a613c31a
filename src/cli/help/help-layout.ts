import { wrapWords } from '../../output/table/cell-width.ts';

/** The width of pages in columns, which fits the narrowest common terminal. Wider terminals get the same page. */
const pageWidth = 80;
const indent = 2;
const columnGap = 2;
const maxLeftWidth = 34;
const labelWidth = 10;

export function paragraph(text: string): string {
  return wrapWords(text, pageWidth).join('\n');
}

export function indentedLines(text: string, by = indent): readonly string[] {
  return wrapWords(text, pageWidth - by);
}

export function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : [`${title}:`, ...lines.map((line) => `  ${line}`)].join('\n');
}

/** Returns a text behind its title: `Fields:   id, name, …`. Returns an empty string if the text is empty. */
export function labelledText(title: string, text: string): string {
  if (text === '') return '';
  return indentedLines(text, labelWidth)
    .map((line, index) => `${(index === 0 ? `${title}:` : '').padEnd(labelWidth)}${line}`)
    .join('\n');
}

export function layOutPage(parts: readonly string[]): string {
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}

/** Returns rows as lines of two columns. The second column is wrapped. A name that is too long has its own line. */
export function twoColumns(rows: readonly (readonly [string, string])[]): readonly string[] {
  const leftWidth = Math.min(maxLeftWidth, Math.max(0, ...rows.map(([name]) => name.length)) + columnGap);
  return rows.flatMap(([name, about]) => {
    const aboutLines = wrapWords(about, pageWidth - indent - leftWidth);
    const lines = name.length + columnGap <= leftWidth ? aboutLines : ['', ...aboutLines];
    return lines.map((line, at) => `${(at === 0 ? name : '').padEnd(leftWidth)}${line}`.trimEnd());
  });
}
