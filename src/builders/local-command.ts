import type { Command, Context } from '../contract/command.ts';
import type { Fields } from '../contract/field.ts';
import { type CommandSpec, type CustomSpec, commandOf } from './custom-command.ts';

interface LocalSpec<P extends Fields, V>
  extends Omit<CustomSpec<P, V>, 'calls' | 'changes' | 'wait' | 'severalStacks'> {
  /** True for a command that acts on the sandbox with --sandbox. */
  readonly supportsSandbox?: true;
}

/**
 * Returns a command that calls no operation of the service. If its output kind is `change`, `run` prints its own notes,
 * and its value is printed only with `present`. Write `run` before `present`; otherwise TypeScript does not infer the
 * type of the value.
 */
export function localCommand<const P extends Fields, V>({
  supportsSandbox,
  run,
  data,
  present,
  ...spec
}: LocalSpec<P, V>): Command<P, V> {
  const presentation = present ?? (spec.output?.kind === 'change' ? () => ({ kind: 'nothing' }) as const : undefined);
  const handler = { kind: 'runs', isRead: false, run, data, present: presentation } as const;
  const command = commandOf<P, V>({ ...spec, calls: [] } as CommandSpec<P>, handler);
  return supportsSandbox ? command : { ...command, isLocal: true };
}

/** Runs `write`, which changes local files, and returns true. With --dry-run it notes `act` and returns false. */
export async function writeLocally(context: Context, act: string, write: () => Promise<unknown>): Promise<boolean> {
  if (context.dryRun) {
    context.note(`would ${act}`);
    return false;
  }
  await write();
  return true;
}
