import { CliError } from '../errors/cli-error.ts';

export interface FileEntry {
  readonly key: string;
  readonly value: string;
  /** Line of the file on which it begins, from 1; 0 where its format has no lines. */
  readonly line: number;
}

/** A text that was read, and what to call it in a message: `.env`, `stdin`. */
export interface EnvFile {
  readonly text: string;
  readonly source: string;
}

/** A mistake in a file. It names the line and never what stands there, which may be secret. */
export function envFileError({ source }: Pick<EnvFile, 'source'>, line: number, fault: string): CliError {
  const place = line > 0 ? `${source} line ${line}` : source;
  return new CliError('usage', `${place}: ${fault}`);
}

/** Throws usage where a key stands twice: nobody but its author knows which value is meant. */
export function refuseDuplicates(file: EnvFile, entries: readonly FileEntry[]): void {
  const lines = new Map<string, number>();
  for (const { key, line } of entries) {
    const first = lines.get(key);
    if (first !== undefined) throw envFileError(file, line, `${key} is already set on line ${first}`);
    lines.set(key, line);
  }
}
