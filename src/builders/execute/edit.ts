import type { Context } from '../../contract/command.ts';
import type { Input } from '../../contract/field.ts';
import type { Read } from '../../contract/observe.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Change, Plan, Step } from '../../contract/plan.ts';
import { createObserver, isMadeOrAccepted, isSameValue, send, withObservation } from './send.ts';

/** One value to change: the read that shows it and the request that changes it. */
export interface Edit<Observed> extends Pick<Step, 'id' | 'name' | 'unfinished' | 'replaces'> {
  readonly stateBefore: Observed;
  /** Reads the current state. Edits with the same function share one read after the change. */
  readonly read: (read: Read) => Promise<Observed>;
  /** Finds the result of `read` in the reply of the request; undefined if the reply does not hold it. */
  readonly findInReply?: (reply: unknown) => Observed | undefined;
  /** Returns the value for the change record; undefined if the service does not show the value. */
  readonly valueIn: (observed: Observed) => unknown;
  readonly requested: unknown;
  /** Returns true if the change is made, undefined if the service cannot tell. By default the values are compared. */
  readonly hasRequestedValue?: (observed: Observed) => boolean | undefined;
  readonly operation: Operation;
  readonly request: Input;
  readonly warning?: string | null | undefined;
}

type EditPlan = Required<Pick<Plan, 'steps' | 'finish'>>;

/** Plans a step for each edit. If a value is already as requested, nothing is sent. A read proves each change. */
export function planEdits<Observed>(context: Context, edits: readonly Edit<Observed>[]): EditPlan {
  return {
    steps: edits.map((edit) => stepOf(context, edit)),
    finish: (changes, replies) => {
      const reads = new Map<Edit<Observed>['read'], Promise<Observed>>();
      const readOnce = ({ read }: Edit<Observed>): Promise<Observed> => {
        const pendingRead = reads.get(read) ?? read(context.call);
        reads.set(read, pendingRead);
        return pendingRead;
      };
      const finishChange = async (change: Change, at: number): Promise<Change> => {
        const edit = edits[at] as Edit<Observed>;
        if (!isMadeOrAccepted(change)) return change;
        const { name, requested } = edit;
        const observed = observedInReply(replies[at], edit) ?? (await readOnce(edit));
        const now = edit.valueIn(observed);
        if (now === undefined) return change;
        const hasRequestedValue = showsRequestedValue(observed, edit);
        return withObservation(context, change, { name, requested, now, hasRequestedValue });
      };
      return Promise.all(changes.map(finishChange));
    },
  };
}

function observedInReply<Observed>(reply: unknown, edit: Edit<Observed>): Observed | undefined {
  const observed = edit.findInReply?.(reply);
  // A reply may still show the old value, so it counts only if it shows the requested value.
  return observed !== undefined && showsRequestedValue(observed, edit) ? observed : undefined;
}

function stepOf<Observed>(context: Context, edit: Edit<Observed>): Step {
  const { id, name, stateBefore, requested, operation, request, warning, unfinished, replaces } = edit;
  const before = edit.valueIn(stateBefore);
  const isAlreadySet = showsRequestedValue(stateBefore, edit);
  const checkingObserver = createObserver(operation, async (read) => {
    const observed = await edit.read(read);
    return edit.valueIn(observed) !== undefined && showsRequestedValue(observed, edit) === true ? observed : undefined;
  });
  // If `hasRequestedValue` cannot tell now, it cannot tell after a lost reply either, so the outcome is not checked.
  const observer = isAlreadySet === undefined ? undefined : checkingObserver;
  return {
    id,
    name,
    change: 'updated',
    before,
    after: requested,
    isIdle: isAlreadySet === true,
    basis: before,
    ...(replaces && { replaces, stack_id: request['stack_id'] }),
    ...(unfinished && { unfinished }),
    send: () => {
      if (warning) context.warn(`${name}: ${warning}`);
      return send(context, operation, request, { observer, replaces });
    },
  };
}

function showsRequestedValue<Observed>(observed: Observed, edit: Edit<Observed>): boolean | undefined {
  const { hasRequestedValue, valueIn, requested } = edit;
  return hasRequestedValue ? hasRequestedValue(observed) : isSameValue(valueIn(observed), requested);
}
