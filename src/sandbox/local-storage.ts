import type { Fetch } from '../contract/exchange.ts';
import { Problem } from '../problems/problem.ts';
import { type LocalSandboxOptions, storage } from './local.ts';
import type { State } from './state.ts';
import { answerStorage } from './storage.ts';
import { readStored } from './stored-state.ts';

/** Reads the links that the sandbox inside this process gives; there is no network to read them from. */
export function localStorageFetch({ file, now, warn }: LocalSandboxOptions): Fetch {
  return async (address, sink, signal) => {
    signal.throwIfAborted();
    if (!address.startsWith(`${storage}/`)) {
      throw new Problem('unavailable', 'the link does not lead to the storage of the sandbox');
    }
    const [path = '', query = ''] = address.slice(storage.length).split('?');
    const question = { path, query: new URLSearchParams(query), authorized: false };
    const answer = (state: State) => answerStorage({ state, now: now() }, question);
    const { status, text } = await readStored(file, answer, { warn });
    if (status !== 200) {
      throw new Problem('unavailable', `the storage of the sandbox does not give the file (${status})`, { status });
    }
    const bytes = Buffer.from(text, 'latin1');
    sink.begin(bytes.byteLength);
    sink.take(bytes);
  };
}
