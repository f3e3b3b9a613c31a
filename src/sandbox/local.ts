import type { Transport } from '../contract/exchange.ts';
import { answerQuestion, type Behaviour } from './answer.ts';
import type { State } from './state.ts';
import { changeStored, readStored } from './stored-state.ts';
import { wellKnownTokens } from './tokens.ts';

export interface LocalSandboxOptions extends Behaviour {
  /** Absolute path of the state file; made when it is missing. */
  readonly file: string;
  readonly now: () => Date;
  /** Told what is done to the rights of the file, and for whom its lock is waited. */
  readonly warn: (line: string) => void;
}

/** Shown in links; nothing listens there. */
export const storage = 'http://sandbox.localhost/storage';

/** The sandbox inside this process: each request loads, advances and answers; one that may change something locks and saves. */
export function localSandbox({ file, now, warn, ...behaviour }: LocalSandboxOptions): Transport {
  const stage = { ...behaviour, speed: 1, storage, tokens: wellKnownTokens };
  return async (request, token, signal) => {
    signal.throwIfAborted();
    const answer = (state: State) => answerQuestion({ ...request, token }, { ...stage, state, now: now() });
    const visit = request.method === 'GET' ? readStored : changeStored;
    return visit(file, answer, { warn });
  };
}
