import type { Context } from '../../contract/command.ts';
import type { Input } from '../../contract/field.ts';
import type { Observer } from '../../contract/observe.ts';
import type { Operation } from '../../contract/operation.ts';
import { actionBy } from '../../resources/action.ts';

/** Sends a write and yields its reply: where the operation declares an action always as one, also where only its id came. */
export async function send(
  context: Context,
  operation: Operation,
  request: Input,
  observer?: Observer,
): Promise<unknown> {
  const reply: unknown = await context.call(operation, request, observer && { observer });
  return actionBy(operation, reply) ?? reply;
}
