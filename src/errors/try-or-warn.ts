import { CliError } from './cli-error.ts';

/**
 * Runs work that follows a sent request: reading back, describing, journal, output. The change is made whatever happens
 * here, so a failure is a warning beside the result.
 */
export async function tryOrWarn<Value>(
  warn: (line: string) => void,
  what: string,
  work: () => Promise<Value> | Value,
): Promise<Value | undefined> {
  try {
    return await work();
  } catch (error) {
    warn(`${what}: ${whyText(error)}`);
    return undefined;
  }
}

/** Returns the message of an error. Any other error is a bug, whose text says nothing to an operator. */
export function whyText(error: unknown): string {
  return error instanceof CliError ? error.message : 'a bug in stackops';
}
