import { isDeepStrictEqual } from 'node:util';
import type { CallOptions, Context } from '../../contract/command.ts';
import type { Input } from '../../contract/field.ts';
import type { Observer, Read } from '../../contract/observe.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Change } from '../../contract/plan.ts';
import { isObject } from '../../contract/values/json.ts';
import { actionOfOperation, createAction, StackAction } from '../../resources/action.ts';

type SendOptions = Pick<CallOptions, 'replaces'> & { readonly observer?: Observer | undefined };

/** Sends a write and returns its reply. A reply with only the id of an action becomes an action. */
export async function send(context: Context, operation: Operation, request: Input, options: SendOptions = {}) {
  const { observer, replaces } = options;
  const reply: unknown = await context.call(operation, request, { ...(observer && { observer }), replaces });
  return actionOfOperation(operation, reply) ?? reply;
}

/** Milliseconds to look for a queued change after a lost reply, because the service refreshes some lists rarely. */
export const checkForMs = 30_000;

/** The reply in place of a lost `{ok, message}` after a read showed the change. */
const substituteReply = { ok: true, message: 'No response; a read afterwards shows the change.' };

/** Checks a write whose reply or action record is missing. `findProof`: undefined or false until the change shows. */
export function createObserver<Input, Snapshot>(
  { reply }: Operation,
  findProof: (read: Read, input: Input, snapshot: Snapshot | undefined) => Promise<unknown>,
): Observer<Input, Snapshot> {
  const isQueued = reply.record === StackAction;
  return {
    ...(isQueued && { checkForMs }),
    check: async (read, input, snapshot) => {
      const evidence = await findProof(read, input, snapshot);
      if (evidence === undefined || evidence === false) return undefined;
      if (isQueued) return createAction({ finished_success: true });
      return reply.envelope === 'acknowledged' ? substituteReply : evidence;
    },
  };
}

/** Completes the change records of made changes with the result of one read. If no change was made, nothing is read. */
export async function readBack<Observed>(
  changes: readonly Change[],
  read: () => Promise<Observed>,
  completeChange: (change: Change, observed: Observed, at: number) => Change,
): Promise<readonly Change[]> {
  if (!changes.some(isMadeOrAccepted)) return changes;
  const observed = await read();
  return changes.map((change, at) => (isMadeOrAccepted(change) ? completeChange(change, observed, at) : change));
}

export function isMadeOrAccepted({ change }: Change): boolean {
  return !['unchanged', 'queued', 'failed', 'unknown', 'not_tried'].includes(change);
}

interface Observation {
  readonly name: string;
  /** The value before the change; the default is `before` of the change record. */
  readonly before?: unknown;
  readonly requested: unknown;
  readonly now: unknown;
  /** The value after the change; the default is `now`. */
  readonly after?: unknown;
  /** True if `now` is the requested value, undefined if the service cannot tell. */
  readonly hasRequestedValue: boolean | undefined;
}

/** Returns the change record with the observed value. It is `accepted` while a part of the value is still old. */
export function withObservation(context: Context, change: Change, observation: Observation): Change {
  const { name, before = change.before, requested, now, after = now, hasRequestedValue } = observation;
  if (isStillOldValue(before, requested, now)) return { ...change, change: 'accepted', after };
  if (hasRequestedValue === false) context.warn(`the service shows another value for ${name} than was asked for`);
  return { ...change, after };
}

function isStillOldValue(before: unknown, requested: unknown, now: unknown): boolean {
  if (isObject(before) && isObject(requested) && isObject(now)) {
    return Object.keys(requested).some((name) => isStillOldValue(before[name], requested[name], now[name]));
  }
  return !isSameValue(before, requested) && isSameValue(before, now);
}

/** True if two values are equal. The order of lists does not matter, and undefined equals null. */
export function isSameValue(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(sortedIfList(one), sortedIfList(other));
}

function sortedIfList(value: unknown): unknown {
  return Array.isArray(value) ? value.toSorted() : (value ?? null);
}
