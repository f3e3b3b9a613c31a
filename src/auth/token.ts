import { isLoopback } from '../contract/values/text.ts';
import { CliError, type CliErrorOptions } from '../errors/cli-error.ts';

const sandboxTokenPrefix = 'sandbox_';

/** True for 1 to 4,096 visible ASCII characters without spaces. Other characters would break or forge a header. */
export function isToken(text: string): boolean {
  return /^[\x21-\x7e]{1,4096}$/.test(text);
}

/** Returns a short hash that distinguishes tokens without revealing them. */
export async function fingerprintOf(token: string): Promise<string> {
  const { hash } = await import('node:crypto');
  return hash('sha256', token).slice(0, 12);
}

/** Returns the token if it may be sent to this address, else throws `usage`. The message does not quote the token. */
export function usableToken(token: string, sourceText: string, baseUrl: URL): string {
  const createError = (fault: string, options: CliErrorOptions = {}) =>
    new CliError('usage', `the token from ${sourceText} ${fault}`, options);
  if (!isToken(token)) throw createError('must be 1 to 4096 visible ASCII characters without spaces');
  if (token.startsWith(sandboxTokenPrefix) && !isLoopback(baseUrl)) {
    throw createError(`is a sandbox token; it is not sent to ${baseUrl.origin}`, { hint: { path: 'auth login' } });
  }
  return token;
}

export function signInError(message: string, details: CliErrorOptions = {}): CliError {
  return new CliError('unauthenticated', message, { hint: { path: 'auth login' }, ...details });
}

/** Returns `****` and the last four characters: `****7f3a`. A token of fewer than 20 characters is only `****`. */
export function maskToken(token: string): string {
  return token.length >= 20 ? `****${token.slice(-4)}` : '****';
}
