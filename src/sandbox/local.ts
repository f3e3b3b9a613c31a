import type { RunDownload, Transport } from '../contract/exchange.ts';
import { CliError } from '../errors/cli-error.ts';
import { answerRequest, type SandboxBehaviour } from './answer.ts';
import type { State } from './state.ts';
import { answerStorageRequest } from './storage.ts';
import { changeStoredState, readStoredState, type StateLocation } from './stored-state.ts';

/** Base address of the links to backup files. No server listens there: `createStorageFetch` reads them instead. */
const storageAddress = 'http://sandbox.localhost/storage';

/** Returns a transport to a sandbox in this process. A read loads and advances the state. A write also saves it. */
export function createLocalTransport(options: SandboxBehaviour & StateLocation): Transport {
  return async (request, token, signal) => {
    signal.throwIfAborted();
    const answer = (state: State) =>
      answerRequest({ ...request, token }, { ...options, state, now: options.now(), storage: storageAddress });
    return request.method === 'GET' ? readStoredState(options, answer) : changeStoredState(options, answer);
  };
}

/** Returns a function that fetches links of the sandbox in this process, without a network. */
export function createStorageFetch(location: StateLocation): RunDownload {
  return async (address, sink, signal) => {
    signal.throwIfAborted();
    // If `address` is on another host, `path` is wrong, so its signature is refused.
    const [path = '', query = ''] = address.slice(storageAddress.length).split('?');
    const request = { path, query: new URLSearchParams(query), authorization: undefined };
    const answerFromState = (state: State) => answerStorageRequest(state, location.now(), request);
    const { status, text } = await readStoredState(location, answerFromState);
    if (status !== 200) {
      throw new CliError('unavailable', `the sandbox storage refused the file (${status})`, { status });
    }
    const bytes = Buffer.from(text, 'latin1');
    sink.begin(bytes.byteLength, { validator: undefined, continues: false });
    sink.take(bytes);
  };
}
