import type { Context } from '../../contract/command.ts';
import type { Input } from '../../contract/field.ts';
import type { Read } from '../../contract/observe.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Change, Plan, Step } from '../../contract/plan.ts';
import { asShown, isMade, isSame, observeBy, send } from './send.ts';

/** One value that is to be another: what shows it, and the request that changes it. */
export interface Edit<Seen> extends Pick<Step, 'id' | 'name' | 'unfinished' | 'replaces'> {
  /** What showed it before. */
  readonly held: Seen;
  /** Reads the same again; those that share this function are read once. */
  readonly read: (read: Read) => Promise<Seen>;
  /** The same in the reply to the request, where that has it. */
  readonly inReply?: (reply: unknown) => Seen | undefined;
  /** The value in there as a record shows it; undefined where it is not shown. */
  readonly valueIn: (seen: Seen) => unknown;
  readonly wanted: unknown;
  /** Whether it is as wanted; undefined where nothing can tell. Without it the values are compared. */
  readonly isWanted?: (seen: Seen) => boolean | undefined;
  readonly operation: Operation;
  readonly request: Input;
  /** Said before the request. */
  readonly warning?: string | null | undefined;
}

/**
 * Values that are changed where they differ, unless they have changed since they were read. What shows a value proves its
 * change where the reply is lost, and is read once more when it was made.
 */
export function edits<Seen>(context: Context, all: readonly Edit<Seen>[]): Required<Pick<Plan, 'steps' | 'finish'>> {
  return {
    steps: all.map((edit) => stepOf(context, edit)),
    finish: (changes, replies) => {
      const reads = new Map<Edit<Seen>['read'], Promise<Seen>>();
      const readOnce = ({ read }: Edit<Seen>): Promise<Seen> => {
        const reading = reads.get(read) ?? read(context.call);
        reads.set(read, reading);
        return reading;
      };
      const finished = async (change: Change, at: number): Promise<Change> => {
        const edit = all[at] as Edit<Seen>;
        if (!isMade(change)) return change;
        const { name, wanted } = edit;
        const seen = shownIn(replies[at], edit) ?? (await readOnce(edit));
        const now = edit.valueIn(seen);
        if (now === undefined) return change;
        return asShown(context, change, { name, wanted, now, isWanted: isWantedIn(seen, edit) });
      };
      return Promise.all(changes.map(finished));
    },
  };
}

function shownIn<Seen>(reply: unknown, edit: Edit<Seen>): Seen | undefined {
  const seen = edit.inReply?.(reply);
  // A reply may have been made before the change.
  return seen !== undefined && isWantedIn(seen, edit) ? seen : undefined;
}

function stepOf<Seen>(context: Context, edit: Edit<Seen>): Step {
  const { id, name, held, wanted, operation, request, warning, unfinished, replaces } = edit;
  const before = edit.valueIn(held);
  const isHeld = isWantedIn(held, edit);
  const observer = observeBy(operation, async (read) => {
    const seen = await edit.read(read);
    return edit.valueIn(seen) !== undefined && isWantedIn(seen, edit) === true ? seen : undefined;
  });
  return {
    id,
    name,
    change: 'updated',
    before,
    after: wanted,
    isIdle: isHeld === true,
    basis: before,
    ...(replaces && { replaces, stack_id: request['stack_id'] }),
    ...(unfinished && { unfinished }),
    send: () => {
      if (warning) context.warn(`${name}: ${warning}`);
      // What cannot be told now will not be told later.
      return send(context, operation, request, { observer: isHeld === undefined ? undefined : observer, replaces });
    },
  };
}

function isWantedIn<Seen>(seen: Seen, { isWanted, valueIn, wanted }: Edit<Seen>): boolean | undefined {
  return isWanted ? isWanted(seen) : isSame(valueIn(seen), wanted);
}
