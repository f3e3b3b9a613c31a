import { seedMoment, seedState } from '../../src/sandbox/seed/seed.ts';
import {
  type RunningSandbox,
  type SandboxOptions,
  type SeenRequest,
  startSandbox as start,
} from '../../src/sandbox/server/server.ts';
import type { State } from '../../src/sandbox/state.ts';
import { wellKnownTokens } from '../../src/sandbox/tokens.ts';

/** What every sandbox of a test refuses: whatever our own client should not send. */
export const ownBehaviour = { strict: true } as const;

const seed = JSON.stringify(seedState(seedMoment));

/** A fresh seed at its own moment. To read its text takes a quarter of the time of making one, and hundreds of tests need one. */
export function freshState(): State {
  return JSON.parse(seed);
}

export interface TestSandbox extends RunningSandbox {
  readonly requests: readonly SeenRequest[];
}

/** A sandbox that serves, with tokens, a secret and dates that a test can write down: `sandbox_all`, `sandbox_public`… */
export async function startSandbox(options: SandboxOptions = {}): Promise<TestSandbox> {
  const known = { tokens: wellKnownTokens, clientSecret: 'sandbox-secret' };
  const requests: SeenRequest[] = [];
  const seen = (request: SeenRequest) => void requests.push(request);
  const state = options.state ?? freshState();
  return { ...(await start({ ...ownBehaviour, ...known, seen, ...options, state })), requests };
}
