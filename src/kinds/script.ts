import type { Audience, Command, Confirm, Context, Presentation, Runs } from '../contract/command.ts';
import { type Declared, factsOf } from '../contract/facts.ts';
import type { Fields, Values } from '../contract/field.ts';

export interface Script<P extends Fields, V> extends Declared<P> {
  readonly about: string;
  readonly examples?: readonly string[];
  readonly confirm?: Confirm<P>;
  readonly run: (context: Context, input: Values<P>) => Promise<V>;
  readonly eachPage?: Runs<P, V>['eachPage'];
  readonly present?: (value: NoInfer<V>, input: Values<P>, audience: Audience) => Presentation;
}

/**
 * A hand-written command: a story of several calls, still declared enough for help, completion and coverage.
 * Write `run` before `present`, and `present` as an arrow: only then is its value inferred from `run`.
 */
export function script<const P extends Fields, V>(spec: Script<P, V>): Command<P, V> {
  const { about, params, positionals = [], examples = [], confirm = null, run, eachPage, present } = spec;
  return {
    about,
    params,
    positionals,
    examples,
    ...factsOf(spec as Declared),
    confirm,
    does: { kind: 'runs', run, eachPage, present },
  };
}
