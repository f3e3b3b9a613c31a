import type { Context } from '../contract/command.ts';
import { cellWidth } from '../output/table/cell-width.ts';
import type { Run } from './app.ts';
import { wantsColour } from './environment.ts';

/** Told apart on a dark and on a light ground: cyan, magenta, yellow, green, blue. */
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
    // No line can pass for one of another label, because nothing in it moves the cursor.
    const isColoured = wantsColour(session.settings.get('color'), env, true);
    const colour = isColoured ? colours[number % colours.length] : undefined;
    await stream.lines(lines.map((line) => ({ label: `${label} |`, colour, text: shownLine(line) })));
  } else {
    const prefix = Buffer.from(`${label} | `);
    await stream.bytes(Buffer.concat(lines.flatMap((line) => [prefix, line, Buffer.from('\n')])));
  }
  return !out.gone;
}

function shownLine(line: Uint8Array): string {
  // The columns of tabs are as they were before the label.
  const text = Buffer.from(line).toString('utf8').replace(/\r$/, '');
  const [last = '', ...before] = text.split('\t').toReversed();
  // Each part begins at a multiple of eight columns.
  return (
    before
      .toReversed()
      .map((part) => part + ' '.repeat(8 - (cellWidth(part) % 8)))
      .join('') + last
  );
}
