import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './stackops.ts';

/** What an example takes for granted: commands that come first, in the same sandbox. */
export const preparations: readonly (readonly [example: RegExp, lines: readonly string[]])[] = [];

/** Examples that end with another code than 0, and why. */
export const exceptions: readonly (readonly [example: RegExp, code: number, reason: string])[] = [];

/** A folder with the files that examples name. */
export function exampleFolder(): string {
  const folder = temporaryFolder();
  const put = (name: string, text: string) => writeFileSync(join(folder, name), text);
  put('key.pem', 'made-up key\n');
  put('bastion.pem', 'made-up key\n');
  put('token.txt', 'sandbox_all\n');
  put('ada.json', '{}\n');
  put('deploy.sh', '#!/bin/sh\nexit 0\n');
  put('xdg-open', '#!/bin/sh\nexit 0\n');
  for (const program of ['deploy.sh', 'xdg-open']) chmodSync(join(folder, program), 0o755);
  return folder;
}
