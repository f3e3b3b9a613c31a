import { expect } from 'vitest';
import type { HttpRequest, Transport } from '../../../src/contract/exchange.ts';
import { TransportFailure } from '../../../src/contract/exchange.ts';
import type { TransportOptions } from '../../../src/http/transport/transport.ts';
import { keep, openTransport } from './clients.ts';
import type { TestServer } from './servers.ts';

export const never = new AbortController().signal;
export const get: HttpRequest = { method: 'GET', path: '/x', query: new URLSearchParams(), body: undefined };
export const post: HttpRequest = { ...get, method: 'POST', body: '{"a":1}' };

export async function openTo(server: Pick<TestServer, 'url'>, options: Partial<TransportOptions> = {}) {
  return keep(await openTransport(server.url, options));
}
export async function failureFrom(work: ReturnType<Transport>): Promise<TransportFailure> {
  const error = await work.catch((thrown: unknown) => thrown);
  return error instanceof TransportFailure ? error : expect.fail(`no failure but ${JSON.stringify(error)}`);
}
export const summaryOf = ({ reason, sent, repeats, message }: TransportFailure) => ({
  reason,
  sent,
  retryable: repeats !== 'never',
  message,
});
