import { openSync } from 'node:fs';
import { faultCode } from './file-fault.ts';

/** Opens a file that only we can read, and that was not there; undefined where the name is taken. Throws the system error. */
export function createFile(file: string): number | undefined {
  try {
    return openSync(file, 'wx', 0o600);
  } catch (error) {
    if (faultCode(error) === 'EEXIST') return undefined;
    throw error;
  }
}
