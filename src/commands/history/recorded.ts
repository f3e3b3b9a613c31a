import type { JournalEntry, JournalRun } from '../../changes/journal/entries.ts';
import type { HashedValue, SentEvent } from '../../changes/journal/event.ts';
import { type HashKey, isRecent } from '../../changes/journal/hash-keys.ts';
import { hashMatcher, type ValueMatcher } from '../../changes/journal/hashed-value.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import { Problem } from '../../problems/problem.ts';
import { deployments } from '../../resources/deployment.ts';
import { nearestTo } from './nearest.ts';

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

interface Reading {
  readonly keys: readonly HashKey[];
  readonly now: Date;
  /** The undo of the run as it can be run here. */
  readonly undoText: string | undefined;
}

/** The values that a run replaced, each once; throws rejected where the journal does not hold all that it changed. */
export function recordedIn(run: JournalRun, { keys, now, undoText }: Reading): readonly RecordedValue[] {
  const { number, changes } = run;
  const hint = undoText ?? nearestTo(run);
  const refuse = (why: string) =>
    new Problem('rejected', `change ${number} ${why}; nothing was changed`, hint === undefined ? {} : { hint });
  refuseUnverified(run, keys, now);
  const made = changes.filter(mayBeMade);
  if (made.length === 0) throw new Problem('rejected', `change ${number} was not made; there is nothing to undo`);
  const reversible = made.filter((change) => !isDeployment(change));
  if (reversible.length === 0) throw refuse('is a deployment, which cannot be undone');
  if (reversible.some(({ sent }) => hashedIn(sent).length === 0)) {
    throw refuse(undoText === undefined ? 'cannot be undone' : 'cannot be undone here: its state was not recorded');
  }
  const found = new Map<string, RecordedValue>();
  for (const value of reversible.flatMap((change) => valuesOf(change, keys))) {
    const { stack, kind, key, isValue } = value;
    const id = JSON.stringify([stack, kind, key]);
    const first = found.get(id)?.isValue ?? isValue;
    // Of several changes of one value the first knows what was before, the last what was left.
    found.set(id, { ...value, isValue: (role, one) => (role === 'before' ? first : isValue)(role, one) });
  }
  return [...found.values()];
}

/** Throws rejected for a change whose hashes have no key any more, or never had one: others may have written them. */
function refuseUnverified({ number, changes }: JournalRun, keys: readonly HashKey[], now: Date): void {
  const values = changes.flatMap(({ sent }) => hashedIn(sent).map((hashed) => ({ sent, hashed })));
  const unverified = values.find(({ sent, hashed }) => !hashMatcher(sent, hashed, keys));
  if (!unverified) return;
  const { sent, hashed } = unverified;
  const isOver = hashed.hash_key !== undefined && !isRecent(hashed.hash_key, now);
  const why = isOver ? 'the hashes of its values expired after 30 days' : 'its record cannot be verified';
  const hint = isVariable(hashed.kind) ? historyOf(hashed.key, sent.stack) : sent.check;
  throw new Problem('rejected', `change ${number} cannot be undone: ${why}; nothing was changed`, hint && { hint });
}

function hashedIn({ value, values }: SentEvent): readonly HashedValue[] {
  return [value ?? [], values ?? []].flat();
}

/** In older lines it says nothing. */
export function isVariable(kind = 'variable'): boolean {
  return kind === 'variable';
}

function historyOf(key: string, stack: string | undefined): CommandLine {
  return { path: 'stack env history', operands: [key], ...(stack !== undefined && { stack_id: stack }) };
}

function valuesOf({ sent, answered, ended }: JournalEntry, keys: readonly HashKey[]): readonly RecordedValue[] {
  const { stack } = sent;
  const isQueued = answered?.outcome === 'queued' && ended?.outcome !== 'succeeded';
  return hashedIn(sent).flatMap((hashed) => {
    const { kind = 'variable', key, left } = hashed;
    const isValue = hashMatcher(sent, hashed, keys);
    return isValue ? [{ stack, kind, key, isValue, isQueued, left }] : [];
  });
}

/** With --redeploy a run ends with one, which changes no value. */
export function isDeployment({ sent }: JournalEntry): boolean {
  return sent.operation === `POST ${deployments.create.path}`;
}

/** False where the change is known not to have been made. */
function mayBeMade({ answered, ended }: JournalEntry): boolean {
  return ended?.outcome !== 'failed' && answered?.outcome !== 'refused' && answered?.outcome !== 'not_sent';
}
