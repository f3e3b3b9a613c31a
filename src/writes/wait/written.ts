import { type Observer, ProbableMatch, type Read, type Watch } from '../../contract/observe.ts';
import type { Operation } from '../../contract/operation.ts';
import { actionBy } from '../../resources/action.ts';
import { type ActionEffect, statusOf, watchFrom, watchQueued } from './action.ts';

export interface Written {
  readonly operation: Operation;
  readonly input: Readonly<Record<string, unknown>>;
  readonly observer: Observer | undefined;
  /** Read before the change was sent. */
  readonly snapshot: unknown;
  readonly answer: unknown;
}

/**
 * Returns the watch after an answer: of the action in it, whatever reply is documented, else the observer's. Undefined
 * when the answer is the result.
 */
export function watchWritten(read: Read, written: Written): Watch | undefined {
  const { operation, input, observer, snapshot, answer } = written;
  const action = actionBy(operation, answer);
  if (!action || observer?.watchesActions) return observer?.watch?.(read, input, { snapshot, answer });
  const watch = watchQueued(read, stackOf(operation, input), action, effectOf(read, written));
  return action.finished_at ? { ...watchFrom(statusOf(action), watch), isOver: true } : watch;
}

function stackOf({ path }: Operation, input: Written['input']): string | undefined {
  const { stack_id, id } = input;
  if (typeof stack_id === 'string') return stack_id;
  // The service shows the actions of a cluster as those of a stack.
  const [, word] = /^\/(?:stacks|clusters)\/([^/]+)/.exec(path) ?? [];
  return word === ':id' ? String(id) : word && decodeURIComponent(word);
}

/** The check for a lost write also observes the effect of an action whose record cannot be read. */
function effectOf(read: Read, { observer, input, snapshot }: Written): ActionEffect | undefined {
  const { check } = observer ?? {};
  if (!check || (observer?.snapshot && snapshot === undefined)) return undefined;
  return async () => {
    const found: unknown = await check(read, input, snapshot);
    return found !== undefined && !(found instanceof ProbableMatch);
  };
}
