import { selectRuns } from '../../changes/journal/entries.ts';
import type { Context } from '../../contract/command.ts';
import { relativeText } from '../../contract/values/time.ts';
import { environments } from '../../resources/env.ts';
import type { Services } from '../services.ts';
import { actsThere } from './destination.ts';
import { linesFor } from './runs.ts';

/** `CURRENCY was deleted 2m ago (change 14); its value is not kept`, where the journal of this machine says so. */
export function deletionText(
  context: Context,
  services: Services,
  { key, stack_id }: { readonly key: string; readonly stack_id: string },
): string | undefined {
  const operation = `DELETE ${environments.delete.path}`;
  const path = `/stacks/${stack_id}/environments/${encodeURIComponent(key)}`;
  for (const { number, changes } of selectRuns(() => linesFor(services, context), {})) {
    const deletion = changes.find(
      ({ sent, answered }) =>
        sent.operation === operation &&
        sent.path === path &&
        ['done', 'queued', 'confirmed'].includes(answered?.outcome ?? '') &&
        actsThere(sent, services),
    );
    if (!deletion) continue;
    const when = relativeText(new Date(deletion.sent.at), context.now());
    return `${key} was deleted ${when} (change ${number}); its value is not kept`;
  }
  return undefined;
}
