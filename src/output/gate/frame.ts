/** Lines that are drawn again and again on one place of a terminal. */
export interface Frame {
  /** Text that draws these lines over those before; from the top of the terminal where its size has changed. */
  over(lines: readonly string[], isResized: boolean): string;
  /** Something else was written: the next lines go below it. */
  leave(): void;
}

export function createFrame(): Frame {
  let rows = 0;
  return {
    over: (lines, isResized) => {
      const up = rows > 0 ? `\x1b[${rows}A` : '';
      rows = lines.length;
      // A line that is too long is cut by the terminal: wrapped, it would take a row that is not counted.
      const drawn = lines.map((line) => `\x1b[K${line}\n`).join('');
      return `\x1b[?7l${isResized ? '\x1b[H' : `\r${up}`}${drawn}\x1b[J\x1b[?7h`;
    },
    leave: () => {
      rows = 0;
    },
  };
}
