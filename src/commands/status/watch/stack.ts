import type { Context } from '../../../contract/command.ts';
import type { Watched } from '../../../contract/watch.ts';
import type { Problem } from '../../../problems/problem.ts';
import { sectionsLimitMs } from '../../section-reader.ts';
import { isFinal, watchPace } from '../../watching.ts';
import { unreadLines } from '../lines.ts';
import { type StatusOptions, stackStatusOf } from '../read.ts';
import type { StackStatus } from '../record.ts';
import { readParts, type Snapshot, type StatusPart, type StatusTarget, statusParts, unread } from '../sections.ts';
import { dueParts, failingParts, nextDueMs, type Pace } from './schedule.ts';
import { isDeploying, stackStates } from './states.ts';

export interface WatchOptions extends Omit<StatusOptions, 'deadline'> {
  /** `--every`, in milliseconds. */
  readonly everyMs: number;
}

/** One stack, of which each part is read when it is due. */
export function watchStack(context: Context, target: StatusTarget, options: WatchOptions): Watched<StackStatus> {
  const wanted = statusParts(options.only);
  const times = new Map<StatusPart, number>();
  let snapshot = unread;
  const pace = (): Pace => ({
    everyMs: options.everyMs,
    isDeploying: isDeploying(snapshot.found),
    failing: failingParts(snapshot),
    slowdown: context.slowdown(),
    shares: 1,
  });
  return {
    read: async (stop) => {
      const before = snapshot;
      const nowMs = context.elapsed();
      const due = dueParts(wanted, times, pace(), nowMs);
      for (const part of due) times.set(part, nowMs);
      snapshot = await readParts(context, target, due, { before, deadline: context.deadline(sectionsLimitMs), stop });
      const { status, failure } = stackStatusOf(target.uid, snapshot, { ...options, now: context.now() });
      const end = before === unread ? failure : refusalOf(due, before, snapshot);
      if (end) throw end;
      // The end of a long screen may not be shown, but its notes are.
      return { value: { ...status, errors: [] }, states: stackStates(status), notes: unreadLines([status]) };
    },
    pauseMs: () => nextDueMs(wanted, times, pace()) - context.elapsed(),
    pace: () => watchPace(context, options.everyMs),
  };
}

/** The refusal of all that could be read before: the token or the stack is gone. */
function refusalOf(due: readonly StatusPart[], before: Snapshot, after: Snapshot): Problem | undefined {
  const readable = due.filter((part) => part !== 'stack' && part !== 'actions' && before.goodAt.has(part));
  const refusals = readable.flatMap((part) => {
    const error = after.errors.get(part);
    return error && isFinal(error) ? [error] : [];
  });
  return refusals.length > 0 && refusals.length === readable.length ? refusals[0] : undefined;
}
