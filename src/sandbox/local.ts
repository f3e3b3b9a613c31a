import type { Transport } from '../contract/exchange.ts';
import { answerQuestion, type Behaviour } from './answer.ts';
import type { State } from './state.ts';
import { changeStored, readStored, type StoredState } from './stored-state.ts';
import { wellKnownTokens } from './tokens.ts';

export type LocalSandboxOptions = Behaviour & StoredState;

/** Shown in links; nothing listens there. */
export const storage = 'http://sandbox.localhost/storage';

/** The sandbox inside this process: each request loads, advances and answers; one that may change something locks and saves. */
export function localSandbox(options: LocalSandboxOptions): Transport {
  const stage = { ...options, speed: 1, storage, tokens: wellKnownTokens };
  return async (request, token, signal) => {
    signal.throwIfAborted();
    const answer = (state: State) => answerQuestion({ ...request, token }, { ...stage, state, now: options.now() });
    return request.method === 'GET' ? readStored(options, answer) : changeStored(options, answer);
  };
}
