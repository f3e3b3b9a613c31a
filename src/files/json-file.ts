import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { Problem } from '../problems/problem.ts';
import { cannotRead, cannotUse, faultCode } from './file-fault.ts';
import { ownUser } from './identity.ts';
import { faultPlace } from './json-fault.ts';

export type JsonObject = Readonly<Record<string, unknown>>;
/** Given for files that hold secrets: others' rights are taken away, and `warn` says so. */
export interface Secrecy {
  readonly warn: (line: string) => void;
}

/**
 * The JSON object of a file, undefined when there is none. Throws usage with path, line and column (never
 * content) for anything that is not a JSON object in a regular file of a user we trust.
 */
export function readJsonFile(file: string, secrecy?: Secrecy): JsonObject | undefined {
  const text = readOwnFile(file, secrecy);
  return text === undefined ? undefined : parseObject(file, text.replace(/^\uFEFF/, ''));
}

/**
 * Replaces the object of a file under its lock: `change` gets the old one (`{}` when there is none); returning
 * the same object writes nothing. Throws usage when the old content cannot be used, internal when writing fails.
 */
export async function updateJsonFile(
  file: string,
  change: (old: JsonObject) => JsonObject,
  secrecy?: Secrecy,
): Promise<void> {
  // Imported here: most commands only read.
  const [{ confWriter, sweepLeftovers }, { withLock }] = await Promise.all([
    import('./conf-writer.ts'),
    import('./lock.ts'),
  ]);
  const write = await confWriter(file);
  await withLock(file, () => {
    sweepLeftovers(file);
    const old = readJsonFile(file, secrecy) ?? {};
    const next = change(old);
    if (next !== old) write(next);
  });
}

function readOwnFile(file: string, secrecy: Secrecy | undefined): string | undefined {
  let handle: number | undefined;
  try {
    checkLink(file);
    // Without O_NONBLOCK a named pipe in this place would hang every command.
    handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    checkRights(file, handle, secrecy);
    return readFileSync(handle, 'utf8');
  } catch (error) {
    if (error instanceof Problem) throw error;
    if (faultCode(error) === 'ENOENT') return undefined;
    throw cannotRead(file, error);
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

/** A link is followed only to where nobody but us (or root) can put something else. */
function checkLink(file: string): void {
  if (!lstatSync(file).isSymbolicLink()) return;
  const target = realpathSync(file);
  for (const path of [target, dirname(target)]) {
    const { uid, mode } = statSync(path);
    const trusted = ownUser === undefined || uid === ownUser || uid === 0;
    if (!trusted || (mode & 0o1002) === 0o002) throw cannotUse(file, 'it is a link to a place that others can write');
  }
}

function checkRights(file: string, handle: number, secrecy: Secrecy | undefined): void {
  const found = fstatSync(handle);
  if (!found.isFile()) throw cannotUse(file, found.isDirectory() ? 'it is a folder' : 'it is not a regular file');
  if (!secrecy || ownUser === undefined) return;
  if (found.uid !== ownUser) throw cannotUse(file, `it belongs to another user (${found.uid})`);
  if ((found.mode & 0o077) === 0) return;
  fchmodSync(handle, 0o600);
  secrecy.warn(`${file} could be read by other users; its rights are now 0600`);
}

function parseObject(file: string, text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const { line, column } = faultPlace(text);
    throw cannotUse(file, `it is not JSON at line ${line}, column ${column}`);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw cannotUse(file, 'it does not hold a JSON object');
}
