import { isDeepStrictEqual } from 'node:util';
import type { CallMore, Context } from '../../contract/command.ts';
import type { Input } from '../../contract/field.ts';
import type { Observer, Read } from '../../contract/observe.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Change } from '../../contract/plan.ts';
import { isObject } from '../../contract/values/json-object.ts';
import { actionBy, actionWith, StackAction } from '../../resources/action.ts';

/** Sends a write and yields its reply: where the operation declares an action always as one, also where only its id came. */
export async function send(
  context: Context,
  operation: Operation,
  request: Input,
  { observer, replaces }: Pick<CallMore, 'replaces'> & { readonly observer?: Observer | undefined } = {},
): Promise<unknown> {
  const reply: unknown = await context.call(operation, request, { ...(observer && { observer }), replaces });
  return actionBy(operation, reply) ?? reply;
}

/** How long what was queued may take to show, in milliseconds; some lists are renewed by the service only now and then. */
export const checkForMs = 30_000;

/** Stands for `{ok, message}` where that reply was lost and a read shows that the change was made. */
const settled = { ok: true, message: 'No response; a read afterwards shows the change.' };

/**
 * Checks the outcome of a write whose reply was lost, or whose action has no record. `proof` yields what shows it, and
 * undefined where the service does not show it.
 */
export function observeBy<Input, Snapshot>(
  { reply }: Operation,
  proof: (read: Read, input: Input, snapshot: Snapshot | undefined) => Promise<unknown>,
): Observer<Input, Snapshot> {
  const isQueued = reply.record === StackAction;
  return {
    ...(isQueued && { checkForMs }),
    check: async (read, input, snapshot) => {
      const found = await proof(read, input, snapshot);
      if (found === undefined || found === false) return undefined;
      if (isQueued) return actionWith({ finished_success: true });
      return reply.envelope === 'acknowledged' ? settled : found;
    },
  };
}

/** The records of changes with what one read shows of those that were made; without any, nothing is read. */
export async function readBack<Seen>(
  changes: readonly Change[],
  read: () => Promise<Seen>,
  shown: (change: Change, seen: Seen, at: number) => Change,
): Promise<readonly Change[]> {
  if (!changes.some(isMade)) return changes;
  const seen = await read();
  return changes.map((change, at) => (isMade(change) ? shown(change, seen, at) : change));
}

/** True for a change that the service says it has made. */
export function isMade({ change }: Change): boolean {
  return !['unchanged', 'queued', 'failed', 'unknown', 'not_tried'].includes(change);
}

interface Shown {
  readonly name: string;
  /** By default as in the record. */
  readonly before?: unknown;
  readonly wanted: unknown;
  readonly now: unknown;
  /** What the record shows of it now, by default all. */
  readonly after?: unknown;
  /** Whether it is as wanted; undefined where that cannot be told. */
  readonly isWanted: boolean | undefined;
}

/** The record of a change with what the service shows now: `accepted` while any of that is still the old value. */
export function asShown(context: Context, change: Change, shown: Shown): Change {
  const { name, before = change.before, wanted, now, after = now, isWanted } = shown;
  if (isStillOld(before, wanted, now)) return { ...change, change: 'accepted', after };
  if (isWanted === false) context.warn(`the service shows another value for ${name} than was asked for`);
  return { ...change, after };
}

function isStillOld(before: unknown, wanted: unknown, now: unknown): boolean {
  if (isObject(before) && isObject(wanted) && isObject(now)) {
    return Object.keys(wanted).some((name) => isStillOld(before[name], wanted[name], now[name]));
  }
  return !isSame(before, wanted) && isSame(before, now);
}

/** Compares lists without order; what is absent is null. */
export function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(sorted(one), sorted(other));
}

function sorted(value: unknown): unknown {
  return Array.isArray(value) ? value.toSorted() : (value ?? null);
}
