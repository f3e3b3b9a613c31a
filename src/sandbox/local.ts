import type { Transport } from '../contract/exchange.ts';
import { answerQuestion } from './answer.ts';
import { changeStored } from './stored-state.ts';

export interface LocalSandboxOptions {
  /** Absolute path of the state file; made when it is missing. */
  readonly file: string;
  readonly now: () => Date;
}

/** Shown in links; nothing listens there. */
export const storage = 'http://sandbox.localhost/storage';

/** The sandbox inside this process: each request locks, loads, advances, answers and saves the state. */
export function localSandbox({ file, now }: LocalSandboxOptions): Transport {
  return async (request, token, signal) => {
    signal.throwIfAborted();
    return changeStored(file, (state) =>
      answerQuestion({ ...request, token }, { state, now: now(), speed: 1, storage }),
    );
  };
}
