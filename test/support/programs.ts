import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Whether this machine has a program. */
export function hasProgram(name: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, name)));
}
