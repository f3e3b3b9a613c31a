import type { HttpResponse } from '../../../src/contract/exchange.ts';
import type { Operation } from '../../../src/contract/operation.ts';
import { emptyReply, type Reply } from '../../../src/contract/reply.ts';
import type { CallParts } from '../../../src/http/call-error.ts';
import { toRequest } from '../../../src/http/request.ts';
import { createRedactor } from '../../../src/output/safe/redactor.ts';

const base: Operation = {
  method: 'GET',
  path: '/things',
  scope: 'admin',
  about: 'Do things.',
  params: {},
  reply: emptyReply,
};

/** A call of a made-up operation, as far as judging its answer goes. */
export function callOf(operation: Partial<Operation> = {}, more: Partial<CallParts> = {}): CallParts {
  const redactor = createRedactor();
  redactor.hide('the-token');
  const whole = { ...base, ...operation };
  return {
    operation: whole,
    request: toRequest(whole, { id: 7 }),
    attempts: 1,
    startedAt: '2026-01-02T03:04:05.000Z',
    token: 'the-token',
    quote: redactor.quote,
    loginScopes: () => undefined,
    ...more,
  };
}

export function replying(reply: Reply, method: Operation['method'] = 'GET'): CallParts {
  return callOf({ reply, method });
}

/** An answer with a JSON body, or with text as it is. */
export function answerOf(body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): HttpResponse {
  return { status, headers, text: typeof body === 'string' ? body : JSON.stringify(body) };
}
