import type { Context } from '../contract/command.ts';
import { cellWidth } from '../output/table/cell-width.ts';
import type { Run } from './app.ts';
import { wantsColour } from './host.ts';

/** Readable on dark and light backgrounds: cyan, magenta, yellow, green, blue. */
const colours = [36, 35, 33, 32, 34];

/** Prints lines of a program behind a label; false once stdout is closed. */
export async function relay(
  { app, session }: Run,
  lines: readonly Uint8Array[],
  { label, number, isError }: Parameters<Context['relay']>[1],
): Promise<boolean> {
  const { env, out, err } = app;
  const stream = isError ? err : out;
  if (stream.terminal) {
    // Nothing in a line moves the cursor, so it cannot imitate another label.
    const isColoured = wantsColour(session.settings.get('color'), env, true);
    const colour = isColoured ? colours[number % colours.length] : undefined;
    const isRelayed = true;
    await stream.lines(lines.map((line) => ({ label: `${label} |`, colour, text: shownLine(line), isRelayed })));
  } else {
    const prefix = Buffer.from(`${label} | `);
    await stream.bytes(Buffer.concat(lines.flatMap((line) => [prefix, line, Buffer.from('\n')])));
  }
  return !out.gone;
}

function shownLine(line: Uint8Array): string {
  // Tabs become spaces, as if the label were not there.
  const text = Buffer.from(line).toString('utf8').replace(/\r$/, '');
  const [last = '', ...before] = text.split('\t').toReversed();
  return (
    before
      .toReversed()
      .map((part) => part + ' '.repeat(8 - (cellWidth(part) % 8)))
      .join('') + last
  );
}
