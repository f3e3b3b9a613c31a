import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';

/** The file of a program in the folders of a PATH; undefined where none of them has it. */
export function findProgram(name: string, path: string): string | undefined {
  if (name.includes('/')) return name;
  return path
    .split(delimiter)
    .map((folder) => resolve(folder, name))
    .find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
