import type { Context } from '../../contract/command.ts';
import type { Input } from '../../contract/field.ts';
import type { Observer, Read } from '../../contract/observe.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Step } from '../../contract/plan.ts';
import { actionBy, actionWith, StackAction } from '../../resources/action.ts';

/** Sends a write and yields its reply: where the operation declares an action always as one, also where only its id came. */
export async function send(
  context: Context,
  operation: Operation,
  request: Input,
  { observer, replaces }: Pick<Step, 'replaces'> & { readonly observer?: Observer | undefined } = {},
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
