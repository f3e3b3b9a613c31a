import { instant, nullable, text } from '../../contract/field.ts';
import type { Output } from '../../contract/metadata.ts';
import { type RecordOf, record } from '../../contract/record.ts';
import { rows } from '../../contract/reply.ts';
import type { WatchedRead } from '../../contract/watch.ts';
import { CliError, interruptedError, unlessAborted, unusedFlagError } from '../../errors/cli-error.ts';
import { canRedraw } from '../../output/safe/create-output.ts';
import type { Format, View } from '../../output/view.ts';
import type { App, Run } from '../app.ts';

export const StateChange = record(
  'change',
  {
    time: instant('Time of the check.'),
    section: text('Section.'),
    name: text('Name of the resource.'),
    before: nullable(text('State before; null when it is new.')),
    after: nullable(text('State now; null when it is gone.')),
  },
  ['time', 'section', 'name', 'before', 'after'],
  { id: 'name' },
);
export type StateChange = RecordOf<typeof StateChange>;

export type WatchMode = NonNullable<ReturnType<typeof watchModeOf>>;

/** Returns how --watch shows readings; undefined without --watch. Throws `usage` for flags that do not fit --watch. */
export function watchModeOf({ line, view, app }: Run) {
  const { '--every': every, '--watch': isWatched } = line.flags;
  if (every !== undefined && !isWatched) {
    throw new CliError('usage', '--every needs --watch', { correction: { add: ['--watch'] } });
  }
  if (!isWatched) return undefined;
  const { handler, output } = line.command;
  const watch = handler.kind === 'runs' ? handler.watch : undefined;
  if (!watch) throw new CliError('usage', `--watch takes one stack: "${line.path}" has a list for each`);
  if (view.format === 'table' && !view.quiet && canRedraw(app.out, app.env))
    return { kind: 'screen', output, view, watch } as const;
  refuseWholeOutputFlags(view);
  const lineView = { ...view, format: lineFormats[view.format] ?? view.format };
  const changesOutput: Output = { kind: 'rows', reply: rows(StateChange) };
  return { kind: 'lines', output: changesOutput, view: lineView, watch } as const;
}

const lineFormats: Partial<Record<Format, Format>> = { table: 'tsv', json: 'ndjson' };

function refuseWholeOutputFlags({ sort, jq, format }: View): void {
  const why = '--watch prints each change as it comes';
  if (sort !== undefined) throw unusedFlagError('--sort', why);
  if (jq !== undefined) throw unusedFlagError('--jq', why, '--json');
  if (format === 'yaml') throw unusedFlagError('--output yaml', why, '--json');
}

/** The shortest pause between two reads, even if a read takes long. */
const minPauseMs = 1_000;

/** Yields a reading at each interval until `quitSignal` is aborted. Throws `interrupted` after a signal. */
export async function* readings(watched: WatchedRead, app: App, quitSignal = new AbortController().signal) {
  const stopSignal = AbortSignal.any([quitSignal, app.signal]);
  while (!quitSignal.aborted) {
    const reading = await unlessAborted(watched.read(quitSignal), stopSignal);
    if (reading) yield reading;
    await unlessAborted(app.sleep(Math.max(minPauseMs, watched.msUntilDue()), stopSignal), stopSignal);
    if (app.signal.aborted) throw interruptedError();
  }
}
