import type { Context } from '../contract/command.ts';

/** Writes to our own files, or says what would be written when the command is a rehearsal. */
export async function writeLocally(context: Context, act: string, write: () => Promise<unknown>): Promise<void> {
  if (context.dryRun) context.note(`would ${act}`);
  else await write();
}
