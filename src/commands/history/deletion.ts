import { selectRuns } from '../../changes/journal/entries.ts';
import type { Context } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import { relativeText } from '../../contract/values/time.ts';
import { environments } from '../../resources/env.ts';
import type { Services } from '../services.ts';
import { actsThere, linesFor } from './runs.ts';

interface Deleted {
  readonly key: string;
  readonly stack_id: string;
}

/** What the journal of this machine says of a variable that was deleted: `CURRENCY was deleted 2m ago (change 14)`. */
export function deletionOf(
  context: Context,
  services: Services,
  { key, stack_id }: Deleted,
): { readonly text: string; readonly hint?: CommandLine } | undefined {
  const operation = `DELETE ${environments.delete.path}`;
  const path = `/stacks/${stack_id}/environments/${encodeURIComponent(key)}`;
  for (const { number, changes, undoable } of selectRuns(() => linesFor(services, context), {})) {
    const deletion = changes.find(
      ({ sent, answered }) =>
        sent.operation === operation &&
        sent.path === path &&
        ['done', 'queued', 'confirmed'].includes(answered?.outcome ?? '') &&
        actsThere(sent, services),
    );
    if (!deletion) continue;
    const when = relativeText(new Date(deletion.sent.at), context.now());
    const text = `${key} was deleted ${when} (change ${number})`;
    if (keptValue(undoable?.undo ?? [], { key, stack_id }) === undefined)
      return { text: `${text}; its value is not kept` };
    return { text, hint: { path: 'history undo', operands: [String(number)] } };
  }
  return undefined;
}

/** Its value as the undo of its deletion has it, which a secret never has. */
export function keptValue(undo: readonly CommandLine[], { key, stack_id }: Deleted): string | undefined {
  const sets = undo.filter((line) => line.path === 'stack env set' && line.stack_id === stack_id);
  const kept = sets.flatMap(({ operands = [] }) => operands).find((operand) => operand.startsWith(`${key}=`));
  return kept?.slice(key.length + 1);
}
