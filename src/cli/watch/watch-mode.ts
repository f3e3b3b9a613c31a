import type { Output } from '../../contract/metadata.ts';
import { rows } from '../../contract/reply.ts';
import { CliError, unusedFlagError } from '../../errors/cli-error.ts';
import { canRedraw } from '../../output/safe/create-output.ts';
import type { Format, View } from '../../output/view.ts';
import type { Run } from '../app.ts';
import { StateChange } from './changes.ts';

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
