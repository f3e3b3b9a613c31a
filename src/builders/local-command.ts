import type { Command, Context } from '../contract/command.ts';
import type { Fields } from '../contract/field.ts';
import { type CustomSpec, customCommand } from './custom-command.ts';

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
export function localCommand<const P extends Fields, V>(spec: LocalSpec<P, V>): Command<P, V> {
  const present = spec.output?.kind === 'change' ? () => ({ kind: 'nothing' }) as const : undefined;
  const command = customCommand<P, V>({ present, ...spec, calls: [] });
  return spec.supportsSandbox ? command : { ...command, isLocal: true };
}

/** Runs `write`, which changes local files, and returns true. With --dry-run it notes `changeText`; returns false. */
export async function writeLocally(
  context: Context,
  changeText: string,
  write: () => Promise<unknown>,
): Promise<boolean> {
  if (context.dryRun) {
    context.note(`would ${changeText}`);
    return false;
  }
  await write();
  return true;
}
