import type { Context } from '../contract/command.ts';

/** Writes to our own files and yields true; a rehearsal only says what would be done, and yields false. */
export async function writeLocally(context: Context, act: string, write: () => Promise<unknown>): Promise<boolean> {
  if (context.dryRun) {
    context.note(`would ${act}`);
    return false;
  }
  await write();
  return true;
}
