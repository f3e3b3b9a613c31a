import type { Command } from '../../contract/command.ts';
import type { Output } from '../../contract/facts.ts';
import { rows } from '../../contract/reply.ts';
import { leastEvery } from '../../contract/watch.ts';
import { canRedraw } from '../../output/gate/redraw.ts';
import type { Format, View } from '../../output/view.ts';
import { Problem } from '../../problems/problem.ts';
import { readDuration } from '../arguments/duration.ts';
import type { Run } from '../arguments/invocation.ts';
import type { World } from '../world.ts';
import { StateChange } from './changes.ts';

/** How a command with --watch is shown: redrawn, or a line for each change. */
export interface WatchMode {
  readonly kind: 'screen' | 'lines';
  readonly view: View;
}

/** Undefined without --watch. Throws usage for flags that do not fit. */
export function watchModeOf({ flags, path }: Run, command: Command, view: View, world: World): WatchMode | undefined {
  const { watch, every } = flags;
  if (every !== undefined) checkEvery(String(every), watch === true);
  if (!watch) return undefined;
  if (command.does.kind !== 'runs' || !command.does.watch) {
    throw new Problem('usage', `--watch takes one stack: "${path.join(' ')}" has a list for each`);
  }
  if (view.format === 'table' && !view.quiet && canRedraw(world.out, world.env)) return { kind: 'screen', view };
  refuseWholeForms(view);
  return { kind: 'lines', view: { ...view, format: lineFormats[view.format] ?? view.format } };
}

/** What a command with --watch prints. */
export function watchedOutput({ kind }: WatchMode, output: Output): Output {
  return kind === 'screen' ? output : { kind: 'rows', reply: rows(StateChange) };
}

function checkEvery(every: string, isWatched: boolean): void {
  if (!isWatched) throw new Problem('usage', '--every needs --watch', { retry: { with: ['--watch'] } });
  const mended = (by: string) => ({ meant: { given: every, by } });
  if (readDuration(every, { shown: '--every', usual: 's', mended }) >= leastEvery * 1000) return;
  throw new Problem('usage', `--every must be at least ${leastEvery}s, not "${every}"`);
}

/** What is printed a line at a time. */
const lineFormats: Partial<Record<Format, Format>> = { table: 'tsv', json: 'ndjson' };

/** A change is printed as it comes, so nothing can be done with all of them. */
function refuseWholeForms({ sort, jq, format }: View): void {
  const [given] = [
    sort !== undefined && '--sort',
    jq !== undefined && '--jq',
    format === 'yaml' && '--output yaml',
  ].filter((flag) => flag !== false);
  if (given === undefined) return;
  throw new Problem('usage', `${given} does not apply: --watch prints each change as it comes`, {
    retry: { without: [given.replace(/ .*/, '')], ...(given !== '--sort' && { with: ['--json'] }) },
  });
}
