import { isLoopback } from '../contract/values/loopback.ts';
import { Problem } from '../problems/problem.ts';

/** Tokens of the embedded sandbox start with this, so that none is ever sent to a real service. */
const sandboxMark = 'sandbox_';

/** Visible ASCII without spaces, 1 to 4,096 characters: whatever else would break or forge a header. */
export function isToken(text: string): boolean {
  return /^[\x21-\x7e]{1,4096}$/.test(text);
}

/** Tells one token from another, and gives none away. */
export async function markOf(token: string): Promise<string> {
  const { createHash } = await import('node:crypto');
  return createHash('sha256').update(token).digest('hex').slice(0, 12);
}

/** The token if it may go to this address; throws usage, never with the value. */
export function usableToken(token: string, origin: string, baseUrl: URL): string {
  if (!isToken(token)) {
    throw new Problem('usage', `the token from ${origin} must be 1 to 4096 visible ASCII characters without spaces`);
  }
  if (token.startsWith(sandboxMark) && !isLoopback(baseUrl)) {
    throw new Problem('usage', `the token from ${origin} is a sandbox token; it is not sent to ${baseUrl.origin}`, {
      hint: { path: 'auth login' },
    });
  }
  return token;
}
