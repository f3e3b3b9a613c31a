import { clockText } from '../../contract/values/time.ts';
import type { WatchedRead } from '../../contract/watch.ts';
import { renderResult } from '../../output/render.ts';
import type { Result } from '../../output/result.ts';
import { cutToWidth, wrapToWidth } from '../../output/table/cell-width.ts';
import type { Run } from '../app.ts';
import type { ScreenEvent } from '../host.ts';
import { readings } from './watch-mode.ts';

/** Redraws until q. No hidden cursor or alternate screen, so only key input is restored, even after a signal. */
export async function redrawScreen(run: Run, watched: WatchedRead, present: (value: unknown) => Result): Promise<void> {
  const { view, app, progress } = run;
  const quitController = new AbortController();
  let drawing = Promise.resolve();
  let draw = async (_isResized: boolean): Promise<void> => undefined;
  const redraw = (isResized: boolean) => {
    drawing = drawing.then(() => draw(isResized));
    return drawing;
  };
  let restoreTerminal: (() => void) | undefined;
  const handleEvent = (event: ScreenEvent): void => {
    if (event === 'quit') quitController.abort();
    // The error is ignored here, because the next reading throws it again.
    else redraw(true).catch(() => undefined);
  };
  try {
    for await (const { value, notes = [] } of readings(watched, app, quitController.signal)) {
      // Keys are read from the first reading on. Before it, Ctrl-C is a signal, and the progress line shows the read.
      progress.pause();
      restoreTerminal ??= app.screen.listen(handleEvent);
      const result = present(value);
      const { everyMs, why } = watched.pace();
      const paceText = `every ${Math.round(everyMs / 1000)}s${why === undefined ? '' : ` (${why})`}`;
      const footer = `${clockText(app.now())}, ${paceText}. Press ${app.screen.hasKeys ? 'q' : 'Ctrl-C'} to quit.`;
      draw = async (isResized) => {
        const columns = app.out.width || 80;
        const rows = app.screen.height || 24;
        const rendered = await renderResult(result, { ...view, width: columns, height: 0, now: app.now() });
        const body = [...(rendered.lines ?? []), ...(rendered.drawn?.split('\n') ?? [])];
        const allNotes = [...(rendered.notes ?? []), ...notes].map(app.out.visible);
        await app.out.redraw(frameLines({ body, notes: allNotes, footer }, { columns, rows }), isResized);
      };
      await redraw(false);
    }
  } finally {
    restoreTerminal?.();
  }
}

type Frame = { readonly body: readonly string[]; readonly notes: readonly string[]; readonly footer: string };
type ScreenSize = { readonly columns: number; readonly rows: number };

/** Returns the lines of a screen. The lines of `body` fit its width already. The last row is free for the cursor. */
export function frameLines({ body, notes, footer }: Frame, { columns, rows }: ScreenSize): readonly string[] {
  const wrappedNotes = notes.flatMap((note) => wrapToWidth(note, columns, 2)).slice(0, Math.max(1, rows / 2 - 1));
  const lowerLines = [...wrappedNotes, cutToWidth(footer, columns)];
  const bodyHeight = Math.max(1, rows - lowerLines.length - 2);
  const cutNote = `${body.length - bodyHeight + 1} more lines do not fit`;
  const lines = body.length <= bodyHeight ? body : [...body.slice(0, bodyHeight - 1), cutToWidth(cutNote, columns)];
  return [...lines, '', ...lowerLines].slice(0, Math.max(1, rows - 1));
}
