import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** In the sandbox, with STACKOPS_STACK=shop; FOLDER stands for a folder with the files `staging.env` and `key`. */
export interface WrongLine {
  readonly typed: string;
  /** The exit code: 2 unless it stands in front. */
  readonly code: number;
  /** Empty where none is printed. */
  readonly hint: string;
}

export const wrongLinesFile = join(import.meta.dirname, '../contract/wrong-lines.txt');

/** Lines that operators type by mistake: `redeploy main -> stackops redeploy --git-ref main`. */
export const wrongLines: readonly WrongLine[] = readFileSync(wrongLinesFile, 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => {
    const [, code = '2', typed = '', hint = ''] = /^(?:(\d+) )?(.*?)(?: -> (.*))?$/.exec(line) ?? [];
    return { code: Number(code), typed, hint };
  });
