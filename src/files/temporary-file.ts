import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Problem } from '../problems/problem.ts';
import { cannotRead, cannotWrite, faultCode, faultReason } from './file-fault.ts';

/** A text in a file of its own, for a program that works on files. */
export interface TemporaryFile {
  readonly path: string;
  /** Its text now, empty where the file is gone. Throws usage when it cannot be read, or is not UTF-8. */
  readonly read: () => string;
  readonly write: (text: string) => void;
}

/**
 * Does some work with a file that only we can read, in a folder that only we can enter; both are gone afterwards, with
 * all that a program put beside the file; `warn` says so where they are not. Throws internal where they cannot be made.
 */
export async function withTemporaryFile<Value>(
  name: string,
  work: (file: TemporaryFile) => Promise<Value>,
  warn: (line: string) => void,
): Promise<Value> {
  const folder = makeFolder();
  const path = join(folder, name);
  try {
    return await work({ path, read: () => readText(path), write: (text) => writeText(path, text) });
  } finally {
    deleteFolder(folder, warn);
  }
}

/** A folder that cannot be deleted, such as one in use on Windows, must not take the place of what the work returns. */
function deleteFolder(folder: string, warn: (line: string) => void): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    warn(`cannot delete ${folder}: ${faultReason(error)}; delete it yourself`);
  }
}

/** Saves a text to a file that only we can read, in a folder that only we can enter, and returns its path. Throws internal. */
export function saveTemporaryFile(name: string, text: string): string {
  const path = join(makeFolder(), name);
  writeText(path, text);
  return path;
}

function makeFolder(): string {
  try {
    // Node makes it with the rights 0700.
    return mkdtempSync(join(tmpdir(), 'stackops-'));
  } catch (error) {
    throw cannotWrite(tmpdir(), error);
  }
}

function writeText(path: string, text: string): void {
  try {
    writeFileSync(path, text, { mode: 0o600 });
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

function readText(path: string): string {
  const bytes = readBytes(path);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Problem('usage', 'the text is not valid UTF-8');
  }
}

function readBytes(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    if (faultCode(error) === 'ENOENT') return new Uint8Array();
    throw cannotRead(path, error);
  }
}
