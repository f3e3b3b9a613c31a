import type { Transport } from '../contract/exchange.ts';
import { answerQuestion, type Behaviour } from './answer.ts';
import type { State } from './state.ts';
import { changeStored, readStored, type StoredState } from './stored-state.ts';
import { wellKnownTokens } from './tokens.ts';

export type LocalSandboxOptions = Behaviour & StoredState;

/** Used in links; no server listens there. */
export const storage = 'http://sandbox.localhost/storage';

/**
 * The sandbox in this process. Each request loads the state, advances it and responds; a write also locks and saves it.
 */
export function localSandbox(options: LocalSandboxOptions): Transport {
  const stage = { ...options, speed: 1, storage, tokens: wellKnownTokens };
  return async (request, token, signal) => {
    signal.throwIfAborted();
    const answer = (state: State) => answerQuestion({ ...request, token }, { ...stage, state, now: options.now() });
    return request.method === 'GET' ? readStored(options, answer) : changeStored(options, answer);
  };
}
