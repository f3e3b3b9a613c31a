import type { JournalEntry, JournalRun } from '../../changes/journal/entries.ts';
import type { HashedValue, SentEvent } from '../../changes/journal/event.ts';
import { type HashKey, isRecent } from '../../changes/journal/hash-keys.ts';
import { hashMatcher, type ValueMatcher } from '../../changes/journal/hashed-value.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import { Problem } from '../../problems/problem.ts';
import { deployments } from '../../resources/deployment.ts';

/** A value that a run replaced, as the journal knows it. */
export interface RecordedValue {
  readonly stack: string | undefined;
  readonly kind: string;
  readonly key: string;
  readonly isValue: ValueMatcher;
  /** The service accepted the change and may still make it, so the value before does not mean that it is undone. */
  readonly isQueued: boolean;
  /** The value after, where it is kept. */
  readonly left: unknown;
}

/** The values that a run replaced; throws rejected where the journal does not hold all that it changed. */
export function recordedIn(run: JournalRun, keys: readonly HashKey[], now: Date): readonly RecordedValue[] {
  const refuse = (why: string) => new Problem('rejected', `change ${run.number} ${why}; nothing was changed`);
  refuseUnverified(run, keys, now);
  const made = run.changes.filter(mayBeMade);
  if (made.length === 0) throw new Problem('rejected', `change ${run.number} was not made; there is nothing to undo`);
  const reversible = made.filter((change) => !isRedeployment(change));
  if (reversible.length === 0) throw refuse('is a deployment, which cannot be undone');
  if (reversible.some(({ sent }) => hashedIn(sent).length === 0)) {
    throw refuse(run.undoable ? 'cannot be undone here: its state was not recorded' : 'cannot be undone');
  }
  return asOne(reversible.flatMap((change) => valuesOf(change, keys)));
}

/** Of a value that a run set again and again, as a ramp does: what was before the first, and after the last. */
function asOne(values: readonly RecordedValue[]): readonly RecordedValue[] {
  const all = new Map<string, RecordedValue>();
  for (const one of values) {
    const name = JSON.stringify([one.stack, one.kind, one.key]);
    const { isValue } = all.get(name) ?? one;
    all.set(name, { ...one, isValue: (role, value) => (role === 'before' ? isValue : one.isValue)(role, value) });
  }
  return [...all.values()];
}

/** Throws rejected for a change whose hashes have no key any more, or never had one: others may have written them. */
function refuseUnverified({ number, changes }: JournalRun, keys: readonly HashKey[], now: Date): void {
  const values = changes.flatMap(({ sent }) => hashedIn(sent).map((hashed) => ({ sent, hashed })));
  const unverified = values.find(({ sent, hashed }) => !hashMatcher(sent, hashed, keys));
  if (!unverified) return;
  const { sent, hashed } = unverified;
  const isOver = hashed.hash_key !== undefined && !isRecent(hashed.hash_key, now);
  const why = isOver ? 'the hashes of its values expired after 30 days' : 'its record cannot be verified';
  const isVariable = hashed.kind === undefined || hashed.kind === 'variable';
  throw new Problem('rejected', `change ${number} cannot be undone: ${why}; nothing was changed`, {
    ...(isVariable && { hint: historyOf(hashed.key, sent.stack) }),
  });
}

function hashedIn({ value, values }: SentEvent): readonly HashedValue[] {
  return [value ?? [], values ?? []].flat();
}

function historyOf(key: string, stack: string | undefined): CommandLine {
  return { path: 'stack env history', operands: [key], ...(stack !== undefined && { stack_id: stack }) };
}

function valuesOf({ sent, answered, ended }: JournalEntry, keys: readonly HashKey[]): readonly RecordedValue[] {
  const { stack } = sent;
  const isQueued = answered?.outcome === 'queued' && ended?.outcome !== 'succeeded';
  return hashedIn(sent).flatMap((hashed) => {
    // Older lines know only variables.
    const { kind = 'variable', key, left } = hashed;
    const isValue = hashMatcher(sent, hashed, keys);
    return isValue ? [{ stack, kind, key, isValue, isQueued, left }] : [];
  });
}

/** With --redeploy a run ends with one, which changes no value. */
export function isRedeployment({ sent }: JournalEntry): boolean {
  return sent.operation === `POST ${deployments.create.path}`;
}

/** False where the change is known not to have been made. */
function mayBeMade({ answered, ended }: JournalEntry): boolean {
  return ended?.outcome !== 'failed' && answered?.outcome !== 'refused' && answered?.outcome !== 'not_sent';
}
