import type { Fetch } from '../contract/exchange.ts';
import { Problem } from '../problems/problem.ts';
import { storage } from './local.ts';
import type { State } from './state.ts';
import { answerStorage } from './storage.ts';
import { readStored, type StoredState } from './stored-state.ts';

/** Reads the links of the sandbox in this process, without a network. */
export function localStorageFetch(stored: StoredState): Fetch {
  return async (address, sink, signal) => {
    signal.throwIfAborted();
    if (!address.startsWith(`${storage}/`)) {
      throw new Problem('unavailable', 'the link does not point to the sandbox storage');
    }
    const [path = '', query = ''] = address.slice(storage.length).split('?');
    const question = { path, query: new URLSearchParams(query), authorized: false };
    const answer = (state: State) => answerStorage({ state, now: stored.now() }, question);
    const { status, text } = await readStored(stored, answer);
    if (status !== 200) {
      throw new Problem('unavailable', `the sandbox storage refused the file (${status})`, { status });
    }
    const bytes = Buffer.from(text, 'latin1');
    sink.begin(bytes.byteLength, { validator: undefined, continues: false });
    sink.take(bytes);
  };
}
