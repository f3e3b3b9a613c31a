import type { Command, Context } from '../contract/command.ts';
import type { Fields } from '../contract/field.ts';
import { type CommandSpec, commandOf } from './command.ts';
import type { ScriptSpec } from './custom-command.ts';

interface LocalSpec<P extends Fields, V>
  extends Omit<ScriptSpec<P, V>, 'calls' | 'changes' | 'wait' | 'severalStacks'> {
  /** With --sandbox it shows or keeps something else. */
  readonly knowsSandbox?: true;
}

/**
 * A command that calls no operation of the service; a change says itself what it did, and shows nothing besides unless it
 * presents it. Write `run` before `present`, or its value is not inferred.
 */
export function localCommand<const P extends Fields, V>({
  knowsSandbox,
  run,
  data,
  present,
  ...spec
}: LocalSpec<P, V>): Command<P, V> {
  const shown = present ?? (spec.output?.kind === 'change' ? () => ({ kind: 'nothing' }) as const : undefined);
  const handler = { kind: 'runs', isRead: false, run, data, present: shown } as const;
  const command = commandOf<P, V>({ ...spec, calls: [] } as CommandSpec<P>, handler);
  return knowsSandbox ? command : { ...command, isLocal: true };
}

/**
 * Writes to our own files (`use profile work`) and says so (`Commands now use profile work.`), which yields true; with
 * --dry-run it only says what would be done, and yields false.
 */
export async function writeLocally(
  context: Context,
  { act, done = [] }: { readonly act: string; readonly done?: readonly string[] },
  write: () => Promise<unknown>,
): Promise<boolean> {
  if (context.dryRun) {
    context.note(`would ${act}`);
    return false;
  }
  await write();
  for (const line of done) context.note(line);
  return true;
}
