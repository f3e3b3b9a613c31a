import { randomBytes } from 'node:crypto';
import { Problem } from '../problems/problem.ts';
import { authorizeUrl } from './authorize-url.ts';
import { exchangeCode, type Post } from './exchange.ts';
import { type ExpectedAnswer, readPasted } from './redirect-answer.ts';
import type { Listener } from './redirect-listener.ts';
import type { ScopeSeparator } from './scopes.ts';
import type { IssuedToken } from './token-reply.ts';

/** What a sign-in needs from outside. */
export interface LoginSteps {
  readonly authUrl: URL;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: readonly string[];
  readonly scopeSeparator: ScopeSeparator;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  listen(expected: ExpectedAnswer): Promise<Listener>;
  /** Prints the address, then opens the browser unless that is switched off. */
  show(url: URL, redirectUrl: URL): Promise<void>;
  /** Reads one line while the browser is open; undefined at the end of input. Absent without a terminal. */
  readonly paste?: (signal: AbortSignal) => Promise<string | undefined>;
  readonly post: Post;
  /** Registers a credential, so that no message shows it. */
  readonly hide: (secret: string) => void;
  /** Verifies and stores the token. Only then does the browser show success. */
  keep(issued: IssuedToken): Promise<void>;
}

/** Signs in through the browser. Throws unauthenticated on failure, interrupted on abort. */
export async function login(steps: LoginSteps): Promise<void> {
  const { authUrl: issuer, scopeSeparator } = steps;
  const expected = { state: randomBytes(32).toString('base64url'), issuer, scopeSeparator };
  const verifier = randomBytes(32).toString('base64url');
  const listener = await steps.listen(expected);
  try {
    const { redirectUrl } = listener;
    await steps.show(authorizeUrl({ ...steps, redirectUrl, state: expected.state, verifier }), redirectUrl);
    const code = await awaitCode(listener, steps, expected);
    await steps.keep(await exchangeCode({ ...steps, redirectUrl, code, verifier }));
    await listener.finish('signed-in');
  } finally {
    await listener.finish('failed');
  }
}

/** The redirect of the browser or a pasted one, whichever comes first before the timeout. */
async function awaitCode(listener: Listener, steps: LoginSteps, expected: ExpectedAnswer): Promise<string> {
  const { signal, timeoutMs } = steps;
  const done = new AbortController();
  const ended = new Promise<never>((_resolve, reject) => {
    const timer = setTimeout(() => reject(timedOut(timeoutMs)), timeoutMs);
    const interrupt = () => reject(new Problem('interrupted', 'sign-in interrupted; no token was saved'));
    done.signal.addEventListener('abort', () => clearTimeout(timer));
    signal.addEventListener('abort', interrupt, { signal: done.signal });
    if (signal.aborted) interrupt();
  });
  try {
    return await Promise.race([
      listener.code,
      ended,
      ...(steps.paste ? [pasted(steps.paste, done.signal, expected)] : []),
    ]);
  } finally {
    done.abort();
  }
}

async function pasted(
  paste: NonNullable<LoginSteps['paste']>,
  signal: AbortSignal,
  expected: ExpectedAnswer,
): Promise<string> {
  while (!signal.aborted) {
    const line = await paste(signal);
    if (line === undefined) break;
    if (line.trim() !== '') return readPasted(line, expected);
  }
  // Input has ended, but the browser may still redirect.
  return new Promise(() => undefined);
}

function timedOut(timeoutMs: number): Problem {
  return new Problem(
    'unauthenticated',
    `sign-in timed out: no response from the browser within ${timeoutMs / 1000} s`,
    {
      hint: { path: 'auth login' },
    },
  );
}
