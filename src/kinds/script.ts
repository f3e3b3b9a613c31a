import type { Audience, Command, Context, Presentation } from '../contract/command.ts';
import type { Fields, Values } from '../contract/field.ts';
import { type CommandSpec, commandOf } from './command.ts';

export interface ScriptSpec<P extends Fields, V> extends CommandSpec<P> {
  /** It reads, and does nothing else: it may be done twice. */
  readonly isRead?: boolean;
  readonly run: (context: Context, input: Values<P>) => Promise<V>;
  readonly runOver?: (
    context: Context,
    input: Values<P>,
    findStacks: () => Promise<readonly string[]>,
  ) => Promise<NoInfer<V>>;
  readonly present?: (value: NoInfer<V>, input: Values<P>, audience: Audience) => Presentation;
}

/**
 * A hand-written command: a story of several calls, still declared enough for help, completion and coverage.
 * Write `run` before `present`, and `present` as an arrow: only then is its value inferred from `run`.
 */
export function script<const P extends Fields, V>({
  run,
  runOver,
  present,
  isRead = false,
  ...spec
}: ScriptSpec<P, V>): Command<P, V> {
  return commandOf<P, V>(spec as CommandSpec<P>, { kind: 'runs', isRead, run, runOver, present });
}
