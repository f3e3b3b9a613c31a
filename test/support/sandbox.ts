import { onTestFinished } from 'vitest';
import { seedMoment, seedState } from '../../src/sandbox/seed/seed.ts';
import { parseFault } from '../../src/sandbox/server/faults.ts';
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
  /** How a program reaches it. */
  readonly env: Readonly<Record<'STACKOPS_BASE_URL' | 'STACKOPS_TOKEN', string>>;
  readonly requests: readonly SeenRequest[];
}

/** Faults as `stackops sandbox serve --fault` takes them. */
export type TestSandboxOptions = Omit<SandboxOptions, 'faults'> & { readonly faults?: readonly string[] };

/**
 * A sandbox that serves until its test ends, with tokens, a secret and dates that a test can write down: `sandbox_all`,
 * `sandbox_public`…
 */
export async function startSandbox(options: TestSandboxOptions = {}): Promise<TestSandbox> {
  const sandbox = await serveSandbox(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** The same for several tests: the caller closes it. */
export async function serveSandbox({ faults = [], ...options }: TestSandboxOptions = {}): Promise<TestSandbox> {
  const known = { tokens: wellKnownTokens, clientSecret: 'sandbox-secret' };
  const requests: SeenRequest[] = [];
  const onRequest = (request: SeenRequest) => void requests.push(request);
  const state = options.state ?? freshState();
  const started = await start({
    ...ownBehaviour,
    ...known,
    onRequest,
    ...options,
    state,
    faults: faults.map(parseFault),
  });
  return { ...started, requests, env: { STACKOPS_BASE_URL: started.url.href, STACKOPS_TOKEN: started.token } };
}
