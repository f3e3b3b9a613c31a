import type { Command, Confirm, RunHandler } from '../contract/command.ts';
import type { CommandEffect, Fields } from '../contract/field.ts';
import { type CommandDeclaration, metadataOf } from '../contract/metadata.ts';

export interface CommandSpec<P extends Fields> extends CommandDeclaration<P> {
  readonly about: string;
  readonly examples?: readonly string[];
  readonly confirm?: Confirm;
}

export function commandOf<P extends Fields, V>(spec: CommandSpec<P>, handler: Command<P, V>['handler']): Command<P, V> {
  const { about, params, positionals = [], examples = [], confirm = null } = spec;
  return { about, params, positionals, examples, ...metadataOf(spec as CommandDeclaration), confirm, handler };
}

export interface CustomSpec<P extends Fields, V>
  extends CommandSpec<P>,
    Pick<RunHandler<P, NoInfer<V>>, 'showsSeveral' | 'watch' | 'data' | 'present'> {
  /** True for a command that only reads, so it may run twice. */
  readonly isRead?: boolean;
  readonly moreEffects: readonly CommandEffect[];
  readonly run: RunHandler<P, V>['run'];
}

/** `run` may make several calls. Write it before `present`, an arrow function; else TypeScript infers no value type. */
export function customCommand<const P extends Fields, V>(spec: CustomSpec<P, V>): Command<P, V> {
  const { run, watch, showsSeveral, data, present, isRead = false } = spec;
  const handler = { kind: 'runs', isRead, run, watch, showsSeveral, data, present } as const;
  return commandOf<P, V>({ severalStacks: showsSeveral, ...spec } as CommandSpec<P>, handler);
}
