import type { Command, Confirm, Context, RunHandler } from '../contract/command.ts';
import type { Fields } from '../contract/field.ts';
import { type CommandDeclaration, metadataOf } from '../contract/metadata.ts';

export interface CommandSpec<P extends Fields> extends CommandDeclaration<P> {
  readonly about: string;
  readonly examples?: readonly string[];
  readonly confirm?: Confirm | undefined;
}

export function commandOf<P extends Fields, V>(spec: CommandSpec<P>, handler: Command<P, V>['handler']): Command<P, V> {
  const { about, params, positionals = [], examples = [], confirm = null } = spec;
  return { about, params, positionals, examples, ...metadataOf(spec as CommandDeclaration), confirm, handler };
}

interface CustomSpec<P extends Fields, V>
  extends CommandSpec<P>,
    Pick<RunHandler<P, NoInfer<V>>, 'showsSeveral' | 'watch' | 'data' | 'present'> {
  readonly isRead?: boolean;
  readonly run: RunHandler<P, V>['run'];
}

/** `run` may make several calls. Write it before `present`, an arrow function; else TypeScript infers no value type. */
export function customCommand<const P extends Fields, V>(spec: CustomSpec<P, V>): Command<P, V> {
  const { run, watch, showsSeveral, data, present, isRead = false } = spec;
  const handler = { kind: 'runs', isRead, run, watch, showsSeveral, data, present } as const;
  return commandOf<P, V>({ severalStacks: showsSeveral, ...spec } as CommandSpec<P>, handler);
}

export function requiredParamNames(params: Fields): readonly string[] {
  return Object.keys(params).filter((name) => params[name]?.presence === 'required');
}

interface LocalSpec<P extends Fields, V>
  extends Omit<CustomSpec<P, V>, 'calls' | 'changes' | 'wait' | 'severalStacks'> {
  readonly supportsSandbox?: true;
}

/**
 * Returns a command that calls no operation of the service. By default its required parameters are the arguments. If
 * its output kind is `change`, `run` prints its own notes, and its value is printed only with `present`. Write `run`
 * before `present`; otherwise TypeScript does not infer the type of the value.
 */
export function localCommand<const P extends Fields, V>(spec: LocalSpec<P, V>): Command<P, V> {
  const isChange = spec.output?.kind === 'change';
  const present = isChange ? () => ({ kind: 'nothing' }) as const : undefined;
  const moreEffects = [isChange ? 'changes_machine' : 'reads_machine'] as const;
  const positionals = requiredParamNames(spec.params);
  const command = customCommand<P, V>({ present, moreEffects, positionals, ...spec, calls: [] });
  return spec.supportsSandbox ? command : { ...command, isLocal: true };
}

/** Runs `write`, which changes local files, and returns true. With --dry-run it notes the act and returns false. */
export async function writeLocally(context: Context, act: string, write: () => Promise<unknown>): Promise<boolean> {
  if (context.dryRun) context.note(`would ${act}`);
  else await write();
  return !context.dryRun;
}
