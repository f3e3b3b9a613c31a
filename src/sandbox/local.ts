import type { Fetch, Transport } from '../contract/exchange.ts';
import { CliError } from '../errors/cli-error.ts';
import { answerQuestion, type Behaviour } from './answer.ts';
import type { State } from './state.ts';
import { answerStorage } from './storage.ts';
import { changeStored, readStored, type StoredState } from './stored-state.ts';
import { wellKnownTokens } from './tokens.ts';

/** The host of links; no server listens there. */
const storage = 'http://sandbox.localhost/storage';

/** The sandbox in this process. Each request loads and advances the state; a write also locks and saves it. */
export function localSandbox(options: Behaviour & StoredState): Transport {
  const stage = { ...options, speed: 1, storage, tokens: wellKnownTokens };
  return async (request, token, signal) => {
    signal.throwIfAborted();
    const answer = (state: State) => answerQuestion({ ...request, token }, { ...stage, state, now: options.now() });
    return request.method === 'GET' ? readStored(options, answer) : changeStored(options, answer);
  };
}

/** Fetches links of the sandbox in this process, without a network. */
export function localStorageFetch(stored: StoredState): Fetch {
  return async (address, sink, signal) => {
    signal.throwIfAborted();
    // Any other link has an invalid signature.
    const [path = '', query = ''] = address.slice(storage.length).split('?');
    const question = { path, query: new URLSearchParams(query), authorized: false };
    const answer = (state: State) => answerStorage({ state, now: stored.now() }, question);
    const { status, text } = await readStored(stored, answer);
    if (status !== 200) {
      throw new CliError('unavailable', `the sandbox storage refused the file (${status})`, { status });
    }
    const bytes = Buffer.from(text, 'latin1');
    sink.begin(bytes.byteLength, { validator: undefined, continues: false });
    sink.take(bytes);
  };
}
