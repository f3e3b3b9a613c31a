import type { Context } from '../contract/command.ts';

/** What a write to our own files is called before and after it: `use profile work`, `Commands now use profile work.` */
interface LocalWrite {
  readonly act: string;
  readonly done?: readonly string[];
}

/** Writes to our own files and yields true; a rehearsal only says what would be done, and yields false. */
export async function writeLocally(
  context: Context,
  { act, done = [] }: LocalWrite,
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
