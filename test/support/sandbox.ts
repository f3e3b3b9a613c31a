import { seedMoment, seedState } from '../../src/sandbox/seed.ts';
import { type RunningSandbox, type SandboxOptions, startSandbox as start } from '../../src/sandbox/server.ts';
import { wellKnownTokens } from '../../src/sandbox/tokens.ts';

/** What every sandbox of a test refuses: whatever our own client should not send. */
export const ownBehaviour = { strict: true } as const;

/** A sandbox that serves, with tokens, a secret and dates that a test can write down: `sandbox_all`, `sandbox_public`… */
export async function startSandbox(options: SandboxOptions = {}): Promise<RunningSandbox> {
  const known = { tokens: wellKnownTokens, clientSecret: 'sandbox-secret', state: seedState(seedMoment) };
  return start({ ...ownBehaviour, ...known, ...options });
}
