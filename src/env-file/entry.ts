import { CliError } from '../errors/cli-error.ts';

export interface FileEntry {
  readonly key: string;
  readonly value: string;
  /** Line number of its beginning, from 1; 0 if the format has no lines. */
  readonly line: number;
}

/** The text of a file, and its name in messages: `.env`, `stdin`. */
export interface EnvFile {
  readonly text: string;
  readonly source: string;
}

/** Reports a mistake in a file by its line, never by its text, which may be secret. */
export function envFileError({ source }: Pick<EnvFile, 'source'>, line: number, fault: string): CliError {
  const place = line > 0 ? `${source} line ${line}` : source;
  return new CliError('usage', `${place}: ${fault}`);
}

/** Throws usage if a key is repeated: only the author knows which value is right. */
export function refuseDuplicates(file: EnvFile, entries: readonly FileEntry[]): void {
  const lines = new Map<string, number>();
  for (const { key, line } of entries) {
    const first = lines.get(key);
    if (first !== undefined) throw envFileError(file, line, `${key} is already set on line ${first}`);
    lines.set(key, line);
  }
}
