import type { Transport } from '../contract/exchange.ts';
import { answerQuestion, type Behaviour } from './answer.ts';
import { changeStored } from './stored-state.ts';
import { wellKnownTokens } from './tokens.ts';

export interface LocalSandboxOptions extends Behaviour {
  /** Absolute path of the state file; made when it is missing. */
  readonly file: string;
  readonly now: () => Date;
}

/** Shown in links; nothing listens there. */
export const storage = 'http://sandbox.localhost/storage';

/** The sandbox inside this process: each request locks, loads, advances, answers and saves the state. */
export function localSandbox({ file, now, ...behaviour }: LocalSandboxOptions): Transport {
  const stage = { ...behaviour, speed: 1, storage, tokens: wellKnownTokens };
  return async (request, token, signal) => {
    signal.throwIfAborted();
    return changeStored(file, (state) => answerQuestion({ ...request, token }, { ...stage, state, now: now() }));
  };
}
