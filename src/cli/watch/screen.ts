import type { Presentation } from '../../contract/command.ts';
import type { Watched, WatchPace } from '../../contract/watch.ts';
import { renderResult } from '../../output/render.ts';
import type { View } from '../../output/view.ts';
import type { World } from '../world.ts';
import { frameLines } from './frame.ts';
import { readings } from './readings.ts';

interface ScreenWatch {
  readonly view: View;
  readonly world: World;
  readonly present: (value: unknown) => Presentation;
}

/** Where the terminal does not say. */
const usualSize = { columns: 80, rows: 24 };

/** Redraws each reading in place until q or Ctrl-C is pressed. The terminal is restored however it ends. */
export async function redrawReadings(watched: Watched, { view, world, present }: ScreenWatch): Promise<void> {
  const quit = new AbortController();
  let drawing = Promise.resolve();
  let draw = async (_isResized: boolean): Promise<void> => undefined;
  const redraw = (isResized: boolean) => {
    drawing = drawing.then(() => draw(isResized));
    return drawing;
  };
  const restore = world.screen?.listen((event) => {
    if (event === 'quit') quit.abort();
    // The next reading meets the same error.
    else redraw(true).catch(() => undefined);
  });
  try {
    for await (const { value } of readings(watched, { quit: quit.signal, world })) {
      const frame = { view, world, shown: present(value), footer: footerText(world.now(), watched.pace(), world) };
      draw = (isResized) => drawFrame(frame, isResized);
      await redraw(false);
    }
  } finally {
    restore?.();
  }
}

interface Drawing {
  readonly view: View;
  readonly world: World;
  readonly shown: Presentation;
  readonly footer: string;
}

async function drawFrame({ view, world, shown, footer }: Drawing, isResized: boolean): Promise<void> {
  const columns = world.out.width || usualSize.columns;
  const rows = world.screen?.height || usualSize.rows;
  const { out, err } = await renderResult(
    { value: undefined, presentation: shown },
    { ...view, width: columns, now: world.now() },
  );
  const body = [...(out.lines ?? []), ...linesOf(out.drawn ?? '')];
  await world.out.redraw(frameLines({ body, notes: err.map(world.out.visible), footer }, { columns, rows }), isResized);
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

/** `12:00:15 UTC, every 15s. Press q to quit.` */
function footerText(at: Date, { everyMs, why }: WatchPace, { screen }: World): string {
  const pace = `every ${everyMs / 1000}s${why === undefined ? '' : ` (${why})`}`;
  return `${at.toISOString().slice(11, 19)} UTC, ${pace}. Press ${screen?.hasKeys ? 'q' : 'Ctrl-C'} to quit.`;
}
