import type { Context } from '../contract/command.ts';
import { cellWidth } from '../output/table/cell-width.ts';
import type { Run } from './app.ts';
import { wantsColour } from './host.ts';

/** Codes of colours that are readable on dark and light backgrounds: cyan, magenta, yellow, green, blue. */
const colourCodes = [36, 35, 33, 32, 34];

type LineSource = Parameters<Context['relay']>[1];

export async function relayLines(run: Run, lines: readonly Uint8Array[], from: LineSource): Promise<boolean> {
  const { label, number, isError } = from;
  const { env, out, err } = run.app;
  const stream = isError ? err : out;
  if (stream.terminal) {
    // `stream.lines` removes all that moves the cursor, so a line cannot imitate the label of another line.
    const isColoured = wantsColour(run.session.settings.get('color'), env, true);
    const colour = isColoured ? colourCodes[number % colourCodes.length] : undefined;
    await stream.lines(lines.map((line) => ({ label: `${label} |`, colour, text: expandTabs(line), isRelayed: true })));
  } else {
    const prefix = Buffer.from(`${label} | `);
    await stream.bytes(Buffer.concat(lines.flatMap((line) => [prefix, line, Buffer.from('\n')])));
  }
  return !out.isClosed;
}

function expandTabs(line: Uint8Array): string {
  // A tab becomes the spaces that it would take without the label, so columns stay aligned.
  const text = Buffer.from(line).toString('utf8').replace(/\r$/, '');
  const padding = (part: string) => ' '.repeat(8 - (cellWidth(part) % 8));
  return text
    .split('\t')
    .map((part, at, parts) => (at === parts.length - 1 ? part : part + padding(part)))
    .join('');
}
