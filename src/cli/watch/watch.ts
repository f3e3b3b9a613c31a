import type { Command, Context, Presentation } from '../../contract/command.ts';
import type { Input } from '../../contract/field.ts';
import type { ContextParts } from '../context.ts';
import { printChanges } from './change-lines.ts';
import { redrawReadings } from './screen.ts';
import type { WatchMode } from './watch-mode.ts';

interface WatchRun {
  readonly command: Command;
  readonly context: Context;
  readonly input: Input;
  readonly parts: Pick<ContextParts, 'world' | 'progress'>;
  readonly present: (value: unknown) => Presentation;
}

/** A command with --watch: its readings redrawn, or their changes as lines. */
export async function runWatch(run: WatchRun, { kind, view }: WatchMode): Promise<void> {
  const { command, context, input, parts, present } = run;
  const { world, progress } = parts;
  const watched = command.does.kind === 'runs' ? await command.does.watch?.(context, input) : undefined;
  if (!watched) throw new Error('nothing to watch');
  if (kind === 'lines') return printChanges(watched, { view, world, note: context.note });
  await redrawReadings(watched, { view, world, progress, present });
}
