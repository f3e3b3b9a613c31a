import type { Audience, Command, Context, Presentation } from '../contract/command.ts';
import type { Fields, Values } from '../contract/field.ts';
import { commandOf, type Spec } from './command.ts';

export interface Script<P extends Fields, V> extends Spec<P> {
  readonly run: (context: Context, input: Values<P>) => Promise<V>;
  readonly present?: (value: NoInfer<V>, input: Values<P>, audience: Audience) => Presentation;
}

/**
 * A hand-written command: a story of several calls, still declared enough for help, completion and coverage.
 * Write `run` before `present`, and `present` as an arrow: only then is its value inferred from `run`.
 */
export function script<const P extends Fields, V>({ run, present, ...spec }: Script<P, V>): Command<P, V> {
  return commandOf<P, V>(spec as Spec<P>, { kind: 'runs', run, present });
}
