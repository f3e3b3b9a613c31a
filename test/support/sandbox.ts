import { type RunningSandbox, type SandboxOptions, startSandbox as start } from '../../src/sandbox/server.ts';
import { wellKnownTokens } from '../../src/sandbox/tokens.ts';

/** What every sandbox of a test refuses: whatever our own client should not send. */
export const ownBehaviour = { strict: true } as const;

/** A sandbox that serves, with tokens and a secret that a test can write down: `sandbox_all`, `sandbox_public`… */
export async function startSandbox(options: SandboxOptions = {}): Promise<RunningSandbox> {
  return start({ ...ownBehaviour, tokens: wellKnownTokens, clientSecret: 'sandbox-secret', ...options });
}
