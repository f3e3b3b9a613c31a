/** One command and what a terminal showed of it, with its styles as escape sequences. */
export interface TypedCommand {
  readonly command: string;
  readonly styled: string;
}

const size = { column: 8.4, line: 20, margin: 20 };
const style = /\x1b\[([\d;]*)m/g;
/** The classes of the styles that the program uses; 39 and 49 are the terminal's own colours. */
const classes: Readonly<Record<string, string>> = {
  1: 'bold',
  2: 'dim',
  31: 'red',
  32: 'green',
  33: 'yellow',
};

const sheet = [
  'rect{fill:#0d1117;stroke:#3d444d}',
  'text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#e6edf3;white-space:pre}',
  '.prompt{fill:#79c0ff}.bold{font-weight:700}.dim{opacity:.6}.red{fill:#ff7b72}.green{fill:#7ee787}.yellow{fill:#e3b341}',
].join('');

/** A picture of a terminal of so many columns: dark, with a border, so that it can be read on a light and on a dark page. */
export function terminalSvg(commands: readonly TypedCommand[], columns: number): string {
  const lines = commands.flatMap(({ command, styled }, index) => [
    ...(index === 0 ? [] : ['']),
    `<tspan class="prompt">$</tspan> ${escapeXml(command)}`,
    ...spansOf(styled.trimEnd()).split('\n'),
  ]);
  const [width, height] = [columns * size.column + 2 * size.margin, lines.length * size.line + 2 * size.margin];
  const texts = lines.flatMap((line, index) =>
    line === '' ? [] : [`<text x="${size.margin}" y="${size.margin + (index + 0.75) * size.line}">${line}</text>`],
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    '<title>stackops in a terminal</title>',
    `<style>${sheet}</style>`,
    `<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="10"/>`,
    ...texts,
    '</svg>\n',
  ].join('\n');
}

/** A style may go on over lines, and a `tspan` may not: each line closes and opens its own. */
function spansOf(styled: string): string {
  let current: readonly string[] = [];
  const parts = styled.split(style).map((part, index) => {
    if (index % 2 === 1) {
      current = part.split(';').reduce(styledBy, current);
      return '';
    }
    if (current.length === 0) return escapeXml(part);
    return escapeXml(part).replaceAll(/[^\n]+/g, `<tspan class="${current.join(' ')}">$&</tspan>`);
  });
  return parts.join('');
}

function styledBy(current: readonly string[], code: string): readonly string[] {
  if (code === '' || code === '0') return [];
  if (code === '39') return current.filter((name) => name === 'bold' || name === 'dim');
  if (code === '49') return current;
  const name = classes[code];
  if (name === undefined) throw new Error(`no class for the style ${code}`);
  return [...current, name];
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
