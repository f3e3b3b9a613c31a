import { randomBytes } from 'node:crypto';
import { Problem } from '../problems/problem.ts';
import { authorizeUrl } from './authorize-url.ts';
import { exchangeCode, type Post } from './exchange.ts';
import { type ExpectedAnswer, readPasted } from './redirect-answer.ts';
import type { Listener } from './redirect-listener.ts';
import type { ScopeSeparator } from './scopes.ts';
import type { IssuedToken } from './token-reply.ts';

/** Everything a sign-in touches, passed in. */
export interface LoginSteps {
  readonly authUrl: URL;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: readonly string[];
  readonly scopeSeparator: ScopeSeparator;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  listen(expected: ExpectedAnswer): Promise<Listener>;
  /** Prints the address and then, unless told not to, opens the browser. */
  show(url: URL, redirectUrl: URL): Promise<void>;
  /** One line typed while the browser is out; undefined when input ended. Absent without a terminal. */
  readonly paste?: (signal: AbortSignal) => Promise<string | undefined>;
  readonly post: Post;
  /** Learns what no message is to repeat. */
  readonly hide: (secret: string) => void;
  /** Proves and stores the token; only then does the browser say that all is well. */
  keep(issued: IssuedToken): Promise<void>;
}

/** Browser, code, token. Throws unauthenticated when it fails, interrupted when the signal says so. */
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

/** The browser's answer or a pasted one, whichever comes first, within the time there is. */
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
  // Nothing more can be typed; the browser may still answer.
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
