import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { oneLine } from '../contract/values/text.ts';
import { CliError } from '../errors/cli-error.ts';
import { codeInPastedLine, type ExpectedRedirect, type RedirectListener } from './redirect-listener.ts';
import { signInError } from './token.ts';
import { readTokenReply, tokensIn } from './token-reply.ts';

/** Sends a form once and returns the response, whatever its status. Rejects with an Error if there is no response. */
export type PostForm = (url: URL, form: URLSearchParams) => Promise<{ readonly status: number; readonly text: string }>;

interface SignInRequest extends Pick<ExpectedRedirect, 'state' | 'scopeSeparator'> {
  readonly authUrl: URL;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: readonly string[];
  readonly redirectUrl: URL;
  /** The secret of PKCE. Its hash is in the address, and the request for the token proves that we know it. */
  readonly verifier: string;
}

export function authorizeUrl(request: SignInRequest): URL {
  const url = oauthUrl(request.authUrl, 'authorize');
  const redirect = request.redirectUrl.href;
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: request.clientId,
    // The API document (service.md) says `redirect_url`, but known clients send `redirect_uri`, so both are sent.
    redirect_url: redirect,
    redirect_uri: redirect,
    scope: request.scopes.join(request.scopeSeparator === 'space' ? ' ' : ','),
    state: request.state,
    code_challenge: hash('sha256', request.verifier, 'base64url'),
    code_challenge_method: 'S256',
  }).toString();
  return url;
}

function oauthUrl(authUrl: URL, step: 'authorize' | 'token'): URL {
  return new URL(`${authUrl.origin}${authUrl.pathname.replace(/(?<!\/)\/+$/, '')}/oauth/${step}`);
}

interface CodeWait {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Reads the line that the user pastes, or undefined at the end of input. Absent if there is no terminal. */
  readonly paste: ReadPastedLine | undefined;
}
type ReadPastedLine = (signal: AbortSignal) => Promise<string | undefined>;

/** Returns the code of the redirect. Throws `unauthenticated` after `timeoutMs`, `interrupted` if `signal` is aborted. */
export async function awaitCode(listener: RedirectListener, expected: ExpectedRedirect, wait: CodeWait) {
  const { signal, timeoutMs, paste } = wait;
  const timeoutMessage = `sign-in timed out: no response from the browser within ${timeoutMs / 1000} s`;
  const waitController = new AbortController();
  const timeoutOrAbort = sleep(timeoutMs, undefined, { signal: AbortSignal.any([signal, waitController.signal]) }).then(
    () => Promise.reject(signInError(timeoutMessage)),
    () => Promise.reject(new CliError('interrupted', 'sign-in interrupted; no token was saved')),
  );
  try {
    const pastedCodes = paste ? [readPastedCode(paste, waitController.signal, expected)] : [];
    return await Promise.race([listener.code, timeoutOrAbort, ...pastedCodes]);
  } finally {
    waitController.abort();
  }
}

async function readPastedCode(readLine: ReadPastedLine, signal: AbortSignal, expected: ExpectedRedirect) {
  while (!signal.aborted) {
    const line = await readLine(signal);
    if (line === undefined) break;
    if (line.trim() !== '') return codeInPastedLine(line, expected);
  }
  // The input has ended without a code. This promise stays pending, because the browser may still redirect.
  return new Promise<never>(() => undefined);
}

type TokenHost = { readonly post: PostForm; readonly hide: (secret: string) => void };

/** Exchanges the code for a token. Throws `unauthenticated` if that fails. */
export async function requestToken(request: SignInRequest, code: string, { post, hide }: TokenHost) {
  const { clientId, clientSecret, redirectUrl, verifier } = request;
  const url = oauthUrl(request.authUrl, 'token');
  for (const secret of [code, clientSecret, verifier]) hide(secret);
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    client_id: clientId,
    client_secret: clientSecret,
    redirect_url: redirectUrl.href,
    redirect_uri: redirectUrl.href,
    code_verifier: verifier,
  });
  // This request is never repeated, because the code is used up even when the response is lost.
  const { status, text } = await post(url, form).catch((error: unknown) => {
    if (error instanceof CliError) throw error;
    throw noTokenError(url, `no response (${oneLine(error instanceof Error ? error.message : String(error))})`);
  });
  for (const token of tokensIn(text)) hide(token);
  if (status >= 300 && status < 400) throw noTokenError(url, `it sent a redirect (${status}), which is not followed`);
  if (status >= 500) throw noTokenError(url, `it returned ${status}`, status);
  return readTokenReply(status, text, request.scopeSeparator);
}

function noTokenError(url: URL, reason: string, status?: number): CliError {
  const message = `no token from ${url.origin}: ${reason}; the code is used up, sign in again`;
  return signInError(message, status === undefined ? {} : { status });
}
