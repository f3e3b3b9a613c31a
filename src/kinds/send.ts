import type { Context } from '../contract/command.ts';
import type { Observer } from '../contract/observe.ts';
import type { Operation } from '../contract/operation.ts';
import { actionBy } from '../resources/action.ts';
import type { Input } from './find.ts';

/** Sends a write, and yields its reply: an action wherever one is declared, also when only `ok` comes back. */
export async function sendTo(
  context: Context,
  operation: Operation,
  input: Input,
  observer?: Observer,
): Promise<unknown> {
  const reply = await context.call(operation, input, observer && { observer });
  return actionBy(operation, reply) ?? reply;
}
