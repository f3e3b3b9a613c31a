import type { Audience, Command, Confirm, Context, Presentation } from '../contract/command.ts';
import { type Facts, factsOf, type Output } from '../contract/facts.ts';
import type { Fields, Values } from '../contract/field.ts';
import type { Reply } from '../contract/reply.ts';

export interface Local<P extends Fields, V> {
  readonly about: string;
  readonly params: P;
  readonly positionals?: readonly (keyof P & string)[];
  readonly examples: readonly string[];
  /** Shape of its value; absent for plain text. */
  readonly reply?: Reply;
  /** What comes out, where `reply` does not tell. */
  readonly output?: Output;
  /** With --sandbox it shows or keeps something else. */
  readonly knowsSandbox?: true;
  readonly confirm?: Confirm<P>;
  readonly exits?: Facts['exits'];
  readonly run: (context: Context, input: Values<P>) => Promise<V>;
  readonly present?: (value: NoInfer<V>, input: Values<P>, audience: Audience) => Presentation;
}

/** A command that calls no operation of the service. Write `run` before `present`, or its value is not inferred. */
export function local<const P extends Fields, V>(spec: Local<P, V>): Command<P, V> {
  const { about, params, positionals = [], examples, knowsSandbox, confirm, run, present } = spec;
  const facts = factsOf({ ...spec, positionals, calls: [] });
  return {
    about,
    params,
    positionals,
    examples,
    ...facts,
    service: knowsSandbox ? facts.service : 'local',
    run,
    ...(confirm && { confirm }),
    ...(present && { present }),
  };
}
