import { Problem } from '../problems/problem.ts';
import { oauthUrl } from './authorize-url.ts';
import { oneLine } from './redact.ts';
import type { ScopeSeparator } from './scopes.ts';
import { type IssuedToken, readTokenReply, tokensIn } from './token-reply.ts';

/**
 * Sends a form once: no retries, no redirects, at most 64 KiB of response, 30 seconds. Resolves for every status;
 * rejects with an Error whose message says why there was no response.
 */
export type Post = (url: URL, form: URLSearchParams) => Promise<{ readonly status: number; readonly text: string }>;

export interface CodeExchange {
  readonly post: Post;
  /** Registers a credential, so that no message shows it. */
  readonly hide: (secret: string) => void;
  readonly authUrl: URL;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUrl: URL;
  readonly code: string;
  readonly verifier: string;
  readonly scopeSeparator: ScopeSeparator;
}

/**
 * Exchanges the code for a token. Never retried: a code is used up even when the response is lost. Throws
 * unauthenticated.
 */
export async function exchangeCode(exchange: CodeExchange): Promise<IssuedToken> {
  const url = oauthUrl(exchange.authUrl, 'token');
  for (const secret of [exchange.code, exchange.clientSecret, exchange.verifier]) exchange.hide(secret);
  const { status, text } = await postOnce(exchange, url);
  for (const token of tokensIn(text)) exchange.hide(token);
  if (status >= 300 && status < 400) throw lost(url, `it sent a redirect (${status}), which is not followed`);
  if (status >= 500) throw lost(url, `it returned ${status}`, status);
  return readTokenReply(status, text, exchange.scopeSeparator);
}

async function postOnce({ post, ...exchange }: CodeExchange, url: URL) {
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code: exchange.code,
    client_id: exchange.clientId,
    client_secret: exchange.clientSecret,
    redirect_url: exchange.redirectUrl.href,
    redirect_uri: exchange.redirectUrl.href,
    code_verifier: exchange.verifier,
  });
  try {
    return await post(url, form);
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw lost(url, `no response (${oneLine(error instanceof Error ? error.message : String(error))})`);
  }
}

function lost(url: URL, reason: string, status?: number): Problem {
  return new Problem('unauthenticated', `no token from ${url.origin}: ${reason}; the code is used up, sign in again`, {
    hint: { path: 'auth login' },
    ...(status !== undefined && { status }),
  });
}
