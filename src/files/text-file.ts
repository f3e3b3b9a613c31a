import { randomUUID } from 'node:crypto';
import { readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { cannotRead, cannotWrite, faultCode } from './file-fault.ts';

/** The text of a file of ours, undefined when there is none; throws usage when it cannot be read. */
export function readTextFile(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (faultCode(error) === 'ENOENT') return undefined;
    throw cannotRead(file, error);
  }
}

/**
 * Puts a text, readable by us alone, in place of a file in one step; throws internal and keeps the old one. A link stays
 * a link: what it leads to is replaced.
 */
export function replaceTextFile(file: string, text: string): void {
  const target = behindLink(file);
  const fresh = `${target}.tmp-${randomUUID()}`;
  try {
    writeFileSync(fresh, text, { flag: 'wx', mode: 0o600 });
    renameSync(fresh, target);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw cannotWrite(file, error);
  }
}

function behindLink(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
