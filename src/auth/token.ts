import { isLoopback } from '../contract/values/loopback.ts';
import { CliError } from '../errors/cli-error.ts';

/** Prefix of sandbox tokens, which are never sent to a real service. */
const sandboxMark = 'sandbox_';

/** 1 to 4,096 visible ASCII characters without spaces; others would break or forge a header. */
export function isToken(text: string): boolean {
  return /^[\x21-\x7e]{1,4096}$/.test(text);
}

/** A fingerprint that distinguishes tokens without revealing them. */
export async function markOf(token: string): Promise<string> {
  const { createHash } = await import('node:crypto');
  return createHash('sha256').update(token).digest('hex').slice(0, 12);
}

/** The token, if it may be sent to this address; throws usage without quoting it. */
export function usableToken(token: string, origin: string, baseUrl: URL): string {
  if (!isToken(token)) {
    throw new CliError('usage', `the token from ${origin} must be 1 to 4096 visible ASCII characters without spaces`);
  }
  if (token.startsWith(sandboxMark) && !isLoopback(baseUrl)) {
    throw new CliError('usage', `the token from ${origin} is a sandbox token; it is not sent to ${baseUrl.origin}`, {
      hint: { path: 'auth login' },
    });
  }
  return token;
}

/** A masked token: at most its last four characters, none of a short one: `****7f3a`, `****`. */
export function maskToken(token: string): string {
  return token.length >= 20 ? `****${token.slice(-4)}` : '****';
}
