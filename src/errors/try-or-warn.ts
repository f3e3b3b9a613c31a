import { CliError } from './cli-error.ts';

/**
 * Does what follows a request that was sent: reading back, describing, journal, output. A failure there changes nothing
 * about what the service did, so it is a warning beside the true result.
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

/** Why something failed; what is no Problem is a bug. */
export function whyText(error: unknown): string {
  return error instanceof CliError ? error.message : `${String(error)} (a bug in stackops)`;
}
