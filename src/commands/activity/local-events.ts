import { selectRuns } from '../../changes/journal/entries.ts';
import type { Context } from '../../contract/command.ts';
import { addressOf } from '../../settings/addresses.ts';
import { linesFor, rowOf } from '../history/runs.ts';
import type { Services } from '../services.ts';
import type { ActivityEvent } from './record.ts';

/** What this machine changed in a stack of this service, whatever the profile. */
export function localEvents(context: Context, services: Services, stack_id: string): readonly ActivityEvent[] {
  const here = services.embedded() ? undefined : addressOf(services.settings());
  return selectRuns(() => linesFor(services, context), {}).flatMap(({ changes, ...run }) => {
    const [first, ...others] = changes.filter(({ sent }) => sent.stack === stack_id && sent.address === here);
    if (!first) return [];
    const { number, started_at, command, outcome } = rowOf({ ...run, changes: [first, ...others] }, services);
    return [{ time: started_at, type: 'local', name: String(number), event: `${command}: ${outcome}`, by: null }];
  });
}
