import { type JournalEntry, selectRuns } from '../../changes/journal/entries.ts';
import type { Context } from '../../contract/command.ts';
import { addressOf } from '../../settings/addresses.ts';
import { linesFor, rowOf } from '../history/runs.ts';
import type { Services } from '../services.ts';
import { type FoundEvent, isNear } from './merge.ts';
import type { ActivityEvent, EventType } from './record.ts';

/** What this machine changed in a stack of this service, whatever the profile. */
export function localEvents(context: Context, services: Services, stack_id: string): readonly FoundEvent[] {
  const here = services.embedded() ? undefined : addressOf(services.settings());
  return selectRuns(() => linesFor(services, context), {}).flatMap(({ changes, ...run }) => {
    const [first, ...others] = changes.filter(({ sent }) => sent.stack === stack_id && sent.address === here);
    if (!first) return [];
    const { number, started_at, command, outcome } = rowOf({ ...run, changes: [first, ...others] }, services);
    const event = `${command}: ${outcome}`;
    const causes = (other: ActivityEvent) => [first, ...others].some((change) => hasChanged(change, other));
    return [{ time: started_at, type: 'local', name: String(number), event, by: 'me', causes }];
  });
}

/** The journal holds no values, so a variable or setting is known by its name in the path or in the command. */
function hasChanged({ sent, answered }: JournalEntry, { type, name, time, event }: ActivityEvent): boolean {
  if (answered?.reference === `${type} ${name}`) return true;
  const { at, operation, path, command } = sent;
  const part = parts[type];
  if (!part?.test(operation) || !isNear(at, time)) return false;
  const isNamed = path.endsWith(`/${name}`) || command.some((word) => word === name || word.startsWith(`${name}=`));
  return type === 'backup' || isNamed || (operation.startsWith('POST') && event.startsWith('created'));
}
const parts: Partial<Record<EventType, RegExp>> = {
  env: /\/environments/,
  setting: /\/settings/,
  backup: /^POST .*\/backups$/,
};
