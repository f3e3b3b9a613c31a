import type { Apply, Command, Context } from '../contract/command.ts';
import type { Fields, Values } from '../contract/field.ts';
import type { Outcome, Plan } from '../contract/plan.ts';
import type { RecordType } from '../contract/record.ts';
import { one, rows } from '../contract/reply.ts';
import { type CommandSpec, commandOf } from './command.ts';

interface WriteSpec<P extends Fields, E> extends Omit<CommandSpec<P>, 'changes' | 'reply' | 'output'> {
  readonly examples: readonly string[];
  /** Of what it did: made by `changeRecord`. */
  readonly record: RecordType;
  /** It can name several: its result is a list, also of one. */
  readonly isList?: true;
  /** Has a person write in an editor what no argument holds, once, and applies it; the plan is handed it. */
  readonly edit?: (context: Context, input: Values<P>, apply: Apply<E>) => Promise<Outcome>;
  /** Finds out what is to be done. It may be called again after a question, so it reads and sends nothing else. */
  readonly plan: (context: Context, input: Values<P>, edited: NoInfer<E>) => Promise<Plan>;
}

/**
 * A write that fills its plan itself; `create`, `change`, `act` and `remove` fill one of the usual shape. Write `edit`
 * before `plan`, or its value is not inferred.
 */
export function write<const P extends Fields, E = undefined>({
  edit,
  plan,
  record,
  isList,
  ...spec
}: WriteSpec<P, E>): Command<P, undefined> {
  const reply = isList ? rows(record) : one(record);
  return commandOf<P, undefined>({ ...spec, reply } as CommandSpec<P>, {
    kind: 'writes',
    edit,
    plan: async (context, input, edited) => ({
      ...(await plan(context, input, edited as E)),
      ...(isList && { isList }),
    }),
  });
}
