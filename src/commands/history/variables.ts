import type { Context } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import { readAll } from '../../kinds/resource/find.ts';
import { variable } from '../../resources/env.ts';
import { planChangeSet } from '../env/change-set.ts';
import { earlierState } from '../env/value-at.ts';
import { keptValue } from './deletion.ts';
import type { RecordedValue } from './recorded.ts';
import type { Restoring } from './replay.ts';

interface Recorded {
  readonly stack_id: string;
  readonly values: readonly RecordedValue[];
  readonly undo: readonly CommandLine[];
}

/** Variables of one stack, with the values of their own history; of deleted ones with those in the undo of their deletion. */
export async function restoreVariables(context: Context, { stack_id, values, undo }: Recorded): Promise<Restoring> {
  const known = await readAll(context, variable, { stack_id });
  const states = values.map((one) =>
    earlierState(
      { ...one, kept: keptValue(undo, { key: one.key, stack_id }) },
      known.find(({ key }) => key === one.key),
      context.audience,
    ),
  );
  const refused = states.filter((state) => 'refusal' in state);
  const wanted = states.filter((state) => 'value' in state);
  const [first, ...others] = refused;
  const [path, flags] = first?.isLost ? ['stack env set', ['--stdin']] : ['stack env history', []];
  return {
    plans: first ? [] : [planChangeSet(context, wanted, { stack_id, known, origin: 'history' })],
    refusals: refused.map(({ refusal }) => refusal),
    hint:
      first && others.length === 0
        ? { path, operands: [first.key], flags, stack_id }
        : { path: 'stack env history', stack_id },
  };
}
