import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { oneLine } from '../contract/values/text.ts';
import { CliError } from '../errors/cli-error.ts';
import { codeInPastedLine, type ExpectedRedirect, type RedirectListener } from './redirect-listener.ts';
import { signInError } from './token.ts';
import { type IssuedToken, readTokenReply, type ScopeSeparator, tokensIn } from './token-reply.ts';

/** Sends a form once and returns the response, whatever its status. Rejects with an Error if there is no response. */
export type PostForm = (url: URL, form: URLSearchParams) => Promise<{ readonly status: number; readonly text: string }>;

export interface LoginSteps<Saved = unknown> {
  readonly authUrl: URL;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: readonly string[];
  readonly scopeSeparator: ScopeSeparator;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  listen(expectedRedirect: ExpectedRedirect): Promise<RedirectListener>;
  /** Prints the sign-in address, then opens the browser, unless `--no-browser` is given. */
  showSignInUrl(url: URL, redirectUrl: URL): Promise<void>;
  /** Reads the line that the user pastes, or undefined at the end of input. Absent if there is no terminal. */
  readonly paste?: ((signal: AbortSignal) => Promise<string | undefined>) | undefined;
  readonly post: PostForm;
  readonly hide: (secret: string) => void;
  /** Verifies and stores the token. The browser shows success only afterwards. */
  save(issuedToken: IssuedToken): Promise<Saved>;
}

/** Signs in through the browser. Throws `unauthenticated` if that fails, `interrupted` if `signal` is aborted. */
export async function login<Saved>(steps: LoginSteps<Saved>): Promise<Saved> {
  const { authUrl: issuer, scopeSeparator } = steps;
  const expected = { state: randomBytes(32).toString('base64url'), issuer, scopeSeparator };
  const verifier = randomBytes(32).toString('base64url');
  const listener = await steps.listen(expected);
  try {
    const { redirectUrl } = listener;
    await steps.showSignInUrl(authorizeUrl(steps, redirectUrl, expected.state, verifier), redirectUrl);
    const code = await awaitCode(listener, steps, expected);
    const saved = await steps.save(await requestToken(code, steps, redirectUrl, verifier));
    await listener.finish('signed-in');
    return saved;
  } finally {
    await listener.finish('failed');
  }
}

function authorizeUrl(steps: LoginSteps, redirectUrl: URL, state: string, verifier: string): URL {
  const url = oauthUrl(steps.authUrl, 'authorize');
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: steps.clientId,
    // The API document (service.md) says `redirect_url`, but known clients send `redirect_uri`, so both are sent.
    redirect_url: redirectUrl.href,
    redirect_uri: redirectUrl.href,
    scope: steps.scopes.join(steps.scopeSeparator === 'space' ? ' ' : ','),
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }).toString();
  return url;
}

function oauthUrl(authUrl: URL, step: 'authorize' | 'token'): URL {
  return new URL(`${authUrl.origin}${authUrl.pathname.replace(/(?<!\/)\/+$/, '')}/oauth/${step}`);
}

async function awaitCode(listener: RedirectListener, steps: LoginSteps, expected: ExpectedRedirect): Promise<string> {
  const { signal, timeoutMs } = steps;
  const timeoutMessage = `sign-in timed out: no response from the browser within ${timeoutMs / 1000} s`;
  const waitController = new AbortController();
  const timeoutOrAbort = wait(timeoutMs, undefined, { signal: AbortSignal.any([signal, waitController.signal]) }).then(
    () => Promise.reject(signInError(timeoutMessage)),
    () => Promise.reject(new CliError('interrupted', 'sign-in interrupted; no token was saved')),
  );
  try {
    return await Promise.race([
      listener.code,
      timeoutOrAbort,
      ...(steps.paste ? [readPastedCode(steps.paste, waitController.signal, expected)] : []),
    ]);
  } finally {
    waitController.abort();
  }
}

type ReadPastedLine = NonNullable<LoginSteps['paste']>;

async function readPastedCode(
  readPastedLine: ReadPastedLine,
  signal: AbortSignal,
  expected: ExpectedRedirect,
): Promise<string> {
  while (!signal.aborted) {
    const line = await readPastedLine(signal);
    if (line === undefined) break;
    if (line.trim() !== '') return codeInPastedLine(line, expected);
  }
  // The input has ended without a code. This promise stays pending, because the browser may still redirect.
  return new Promise(() => undefined);
}

async function requestToken(code: string, steps: LoginSteps, redirectUrl: URL, verifier: string): Promise<IssuedToken> {
  const { clientId, clientSecret, hide } = steps;
  const url = oauthUrl(steps.authUrl, 'token');
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
  const { status, text } = await steps.post(url, form).catch((error: unknown) => {
    if (error instanceof CliError) throw error;
    throw noTokenError(url, `no response (${oneLine(error instanceof Error ? error.message : String(error))})`);
  });
  for (const token of tokensIn(text)) hide(token);
  if (status >= 300 && status < 400) throw noTokenError(url, `it sent a redirect (${status}), which is not followed`);
  if (status >= 500) throw noTokenError(url, `it returned ${status}`, status);
  return readTokenReply(status, text, steps.scopeSeparator);
}

function noTokenError(url: URL, reason: string, status?: number): CliError {
  const message = `no token from ${url.origin}: ${reason}; the code is used up, sign in again`;
  return signInError(message, status === undefined ? {} : { status });
}
