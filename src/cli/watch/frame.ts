import { cutToWidth, wrapToWidth } from '../../output/table/cell-width.ts';

export interface FrameParts {
  /** Drawn lines, which fit the width. */
  readonly body: readonly string[];
  /** What is said about them. */
  readonly notes: readonly string[];
  readonly footer: string;
}

export interface FrameSize {
  readonly columns: number;
  readonly rows: number;
}

/** The lines of a screen. The last row of the terminal is left to the cursor. */
export function frameLines({ body, notes, footer }: FrameParts, { columns, rows }: FrameSize): readonly string[] {
  const said = notes.flatMap((note) => wrapToWidth(note, columns, 2)).slice(0, Math.max(1, rows / 2 - 1));
  const below = [...said, cutToWidth(footer, columns)];
  const room = Math.max(1, rows - below.length - 2);
  const shown = body.length <= room ? body : [...body.slice(0, room - 1), hiddenText(body.length - room + 1, columns)];
  return [...shown, '', ...below].slice(0, Math.max(1, rows - 1));
}

function hiddenText(count: number, columns: number): string {
  return cutToWidth(`${count} more lines do not fit`, columns);
}
