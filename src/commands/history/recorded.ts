import type { CommandLine } from '../../contract/command-line.ts';
import { CliError } from '../../errors/cli-error.ts';
import { deployments } from '../../resources/deployment.ts';
import type { JournalEntry, JournalRun } from '../../writes/journal/entries.ts';
import type { HashedValue } from '../../writes/journal/event.ts';
import { type HashKey, hashMatcher, isRecent } from '../../writes/journal/hash-keys.ts';
import type { RecordedVariable } from '../env/value-at.ts';

/** A value that a run replaced, as the journal knows it. */
export interface RecordedValue extends Omit<RecordedVariable, 'kept'> {
  readonly stack: string | undefined;
  readonly kind: string;
  /** The value after, where it is kept. */
  readonly left: unknown;
}

/** The values that a run replaced; throws rejected where the journal does not hold all that it changed. */
export function recordedIn(
  { number, changes, undoable }: JournalRun,
  keys: readonly HashKey[],
  now: Date,
): readonly RecordedValue[] {
  const refuse = (why: string) => new CliError('rejected', `change ${number} ${why}`, { nothing: 'changed' });
  const made = changes.filter(mayBeMade);
  if (made.length === 0) throw new CliError('rejected', `change ${number} was not made; there is nothing to undo`);
  const reversible = made.filter((change) => !isRedeployment(change));
  if (reversible.length === 0) throw refuse('is a deployment, which cannot be undone');
  const values = reversible.map(({ sent, answered, ended }) => {
    const { stack } = sent;
    const isQueued = answered?.outcome === 'queued' && ended?.outcome !== 'succeeded';
    return [sent.value ?? [], sent.values ?? []].flat().map((hashed) => {
      // Older lines know only variables.
      const { kind = 'variable', key, left } = hashed;
      const isValue = hashMatcher(sent, hashed, keys);
      if (isValue) return { stack, kind, key, isValue, isQueued, left };
      const history = { path: 'stack env history', operands: [key], ...(stack !== undefined && { stack_id: stack }) };
      throw refuse(`cannot be undone: ${whyUnverified(hashed, now)}`).with({
        hint: kind === 'variable' ? history : recordOf(number),
      });
    });
  });
  if (values.every((of) => of.length > 0)) return asOne(values.flat());
  throw refuse(undoable ? 'cannot be undone here: its state was not recorded' : 'cannot be undone');
}

/** Hashes without a key, or of one that is gone: others may have written them. */
function whyUnverified({ hash_key }: HashedValue, now: Date): string {
  const isOver = hash_key !== undefined && !isRecent(hash_key, now);
  return isOver ? 'the hashes of its values expired after 30 days' : 'its record cannot be verified';
}

/** Merges repeated changes of a value, as a ramp makes them: the first old value and the last new one. */
function asOne(values: readonly RecordedValue[]): readonly RecordedValue[] {
  const all = new Map<string, RecordedValue>();
  for (const one of values) {
    const name = JSON.stringify([one.stack, one.kind, one.key]);
    const { isValue } = all.get(name) ?? one;
    all.set(name, { ...one, isValue: (role, value) => (role === 'before' ? isValue : one.isValue)(role, value) });
  }
  return [...all.values()];
}

/** The command that shows what was recorded, where nothing in it can be offered. */
export function recordOf(number: number): CommandLine {
  return { path: 'history show', operands: [String(number)] };
}

/** With --redeploy a run ends with one, which changes no value. */
export function isRedeployment({ sent }: JournalEntry): boolean {
  return sent.operation === `POST ${deployments.create.path}`;
}

export function mayBeMade({ answered, ended }: JournalEntry): boolean {
  return ended?.outcome !== 'failed' && answered?.outcome !== 'refused' && answered?.outcome !== 'not_sent';
}
