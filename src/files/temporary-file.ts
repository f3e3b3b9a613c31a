import { lstatSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CliError } from '../errors/cli-error.ts';
import { faultReason, tryToWrite } from './file-fault.ts';
import { mayBeAlive, ownPid, ownUserId } from './identity.ts';
import { maxFileBytes, readNamedFile, utf8Text } from './named-file.ts';
import { findFolderRisk, foldersAbove } from './private-folder.ts';

/** A private file that holds one text. A program such as an editor may replace the file. */
export type TemporaryFile = ReturnType<typeof fileAt>;

/** Runs `work` with a private file in a new private folder. Removes both after `work`, and warns if that fails. */
export async function withTemporaryFile<Value>(
  name: string,
  work: (file: TemporaryFile) => Promise<Value>,
  warn: (line: string) => void,
): Promise<Value> {
  const folder = createTemporaryFolder();
  try {
    return await work(fileAt(join(folder, name)));
  } finally {
    // A folder that cannot be deleted, such as one in use on Windows, must not hide the result of the work.
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      warn(`cannot delete ${folder}: ${faultReason(error)}; delete it yourself`);
    }
  }
}

/** Saves a text to a private file in a new private folder and returns the path of the file. */
export function saveTemporaryFile(name: string, text: string): string {
  const { path, write } = fileAt(join(createTemporaryFolder('stackops-'), name));
  write(text);
  return path;
}

function createTemporaryFolder(prefix = `${folderPrefix}${ownPid}-`): string {
  return tryToWrite(tmpdir(), () => {
    removeLeftoverFolders();
    // Node creates this folder with the permissions 0700.
    return mkdtempSync(join(findTemporaryRoot(), prefix));
  });
}

const folderPrefix = 'stackops-edit-';

function findTemporaryRoot(): string {
  const folder = realpathSync(tmpdir());
  for (const path of [folder, ...foldersAbove(folder)]) {
    const why = findFolderRisk(path)?.reason(path === folder ? 'it' : path);
    if (why === undefined) continue;
    throw new CliError('usage', `cannot use the temporary folder ${tmpdir()}: ${why}`, { hint: 'export TMPDIR=/tmp' });
  }
  return folder;
}

/** Removes folders of `withTemporaryFile` whose process was killed. Those of `saveTemporaryFile` stay. Never throws. */
export function removeLeftoverFolders(): void {
  try {
    const folder = findTemporaryRoot();
    const leftoverNames = readdirSync(folder).filter((name) => isLeftOverFolder(folder, name));
    for (const name of leftoverNames) rmSync(join(folder, name), { recursive: true, force: true });
  } catch {
    // A folder that could not be removed is tried again at the next run.
  }
}

function isLeftOverFolder(folder: string, name: string): boolean {
  const [, pid] = /^stackops-edit-(\d+)-/.exec(name) ?? [];
  if (pid === undefined || mayBeAlive(Number(pid))) return false;
  const { uid } = lstatSync(join(folder, name));
  return ownUserId === undefined || uid === ownUserId;
}

function fileAt(path: string) {
  return {
    path,
    /** Returns the text of the file; empty if the file is gone. Throws `usage` if it is unreadable or not UTF-8. */
    read: (): string => utf8Text(readNamedFile(path, maxFileBytes) ?? new Uint8Array(), 'the text'),
    write: (text: string): void => tryToWrite(path, () => writeFileSync(path, text, { mode: 0o600 })),
  };
}
