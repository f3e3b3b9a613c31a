import { lstatSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { cannotUse, cannotWrite, orCannotWrite } from './file-fault.ts';
import { readOwnFile, type Secrecy } from './own-file.ts';
import { renameFile } from './rename.ts';

/** Replaces a file, or a link and never its target, by a private file; throws internal and keeps the old one. */
export function replaceTextFile(file: string, text: string): void {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found && !found.isFile() && !found.isSymbolicLink()) throw cannotUse(file, 'it is not a regular file');
  // The global crypto is loaded here. Imported from `node:crypto`, it would be loaded at every start.
  const fresh = `${file}.tmp-${crypto.randomUUID()}`;
  try {
    writeFileSync(fresh, text, { flag: 'wx', mode: 0o600 });
    renameFile(fresh, file);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw cannotWrite(file, error);
  }
}

/** Removes temporary files of killed writers, which may hold secrets. The caller's lock keeps others from writing. */
export function removeLeftovers(file: string): void {
  orCannotWrite(file, () => {
    for (const name of readdirSync(dirname(file))) {
      if (name.startsWith(`${basename(file)}.tmp-`)) rmSync(join(dirname(file), name), { force: true });
    }
  });
}

/** A file that is not there is removed already. */
export function removeFile(file: string): void {
  rmSync(file, { force: true });
}

/** Replaces a link by a file with the same text, before a writer would follow it. */
export function replaceLink(file: string, secrecy: Secrecy): void {
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  if (!isLink) return;
  const text = readOwnFile(file, secrecy);
  if (text === undefined) rmSync(file);
  else replaceTextFile(file, text);
}
