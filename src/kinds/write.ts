import type { Command, Confirm, Context } from '../contract/command.ts';
import { type Declared, factsOf } from '../contract/facts.ts';
import type { Fields, Values } from '../contract/field.ts';
import type { Operation } from '../contract/operation.ts';
import type { Plan } from '../contract/plan.ts';
import type { RecordType } from '../contract/record.ts';
import { one, rows } from '../contract/reply.ts';

export interface Write<P extends Fields> {
  readonly about: string;
  readonly params: P;
  readonly positionals?: readonly (keyof P & string)[];
  readonly examples: readonly string[];
  /** Of the operations it may call, the writes last. */
  readonly calls: readonly Operation[];
  /** Of what it did: made by `changeRecord`. */
  readonly record: RecordType;
  /** It can name several: its result is a list, also of one. */
  readonly isList?: true;
  readonly confirm?: Confirm;
  readonly severalStacks?: true;
  readonly wait?: 'always';
  readonly exits?: Command['exits'];
  /** Finds out what is to be done. It may be called again after a question, so it reads and sends nothing else. */
  readonly plan: (context: Context, input: Values<P>) => Promise<Plan>;
}

/** A write that fills its plan itself; `create`, `change`, `act` and `remove` fill one of the usual shape. */
export function write<const P extends Fields>({ plan, record, isList, ...spec }: Write<P>): Command<P, undefined> {
  const reply = isList ? rows(record) : one(record);
  const { about, params, positionals = [], examples, confirm = null } = spec;
  return {
    about,
    params,
    positionals,
    examples,
    ...factsOf({ ...spec, reply } as Declared),
    confirm,
    does: {
      kind: 'writes',
      plan: async (context, input) => ({ ...(await plan(context, input)), ...(isList && { isList }) }),
    },
  };
}
