import { expect, onTestFinished } from 'vitest';
import { integer, text } from '../../../src/contract/field.ts';
import { type Calls, operation } from '../../../src/contract/operation.ts';
import { record } from '../../../src/contract/record.ts';
import { acknowledgedReply, one, page } from '../../../src/contract/reply.ts';
import { CliError, type ErrorKind } from '../../../src/errors/cli-error.ts';
import { type ApiOptions, createApi } from '../../../src/http/api.ts';
import { createRequestQueue } from '../../../src/http/rate-limit.ts';
import {
  type ClosableTransport,
  createTransport,
  type TransportOptions,
} from '../../../src/http/transport/transport.ts';
import { createRedactor } from '../../../src/output/safe/redactor.ts';

const Thing = record('thing', { id: integer('Id.'), name: text('Name.') }, ['id', 'name']);
export const things = {
  list: operation('GET /things', {
    scope: 'public',
    about: 'List the things.',
    params: {},
    reply: page(Thing),
  }),
  get: operation('GET /things/:id', {
    scope: 'public',
    about: 'Show a thing.',
    params: { id: integer('Id.') },
    reply: one(Thing),
  }),
  create: operation('POST /things', {
    scope: 'admin',
    about: 'Create a thing.',
    params: { name: text('Name.') },
    reply: one(Thing, ['id']),
  }),
  delete: operation('DELETE /things/:id', {
    scope: 'admin',
    about: 'Delete a thing.',
    params: { id: integer('Id.') },
    reply: acknowledgedReply,
  }),
};

/** Closes it when the test is over. */
export function keep<T extends { close(): Promise<void> }>(opened: T): T {
  onTestFinished(() => opened.close());
  return opened;
}

export function openTransport(baseUrl: URL, options: Partial<TransportOptions> = {}): Promise<ClosableTransport> {
  return createTransport({
    baseUrl,
    userAgent: 'stackops/0.0.0 (linux; 20)',
    connectTimeoutMs: 5_000,
    headersTimeoutMs: 5_000,
    attemptTimeoutMs: 5_000,
    env: {},
    ...options,
  });
}

export interface TestClient {
  readonly api: Calls;
  readonly trace: readonly string[];
  readonly warnings: readonly string[];
  /** Delays asked of the clock, in milliseconds. */
  readonly delays: readonly number[];
  close(): Promise<void>;
}

/** A client whose pauses take no time: its clock jumps by what it is asked to sleep. */
export async function openClient(
  baseUrl: URL,
  more: { readonly api?: Partial<ApiOptions>; readonly transport?: Partial<TransportOptions> } = {},
): Promise<TestClient> {
  const transport = await openTransport(baseUrl, more.transport);
  const trace: string[] = [];
  const warnings: string[] = [];
  const delays: number[] = [];
  const startMs = Date.UTC(2026, 0, 2, 3, 4, 5);
  let passedMs = 0;
  const api = createApi({
    titleOfStack: () => undefined,
    transport: async () => transport,
    token: async () => 'token-of-the-test',
    budgetMs: 120_000,
    maxRetries: 3,
    queue: createRequestQueue(() => passedMs),
    signal: new AbortController().signal,
    trace: (line) => trace.push(line),
    warn: (line) => warnings.push(line),
    redactor: createRedactor(),
    loginScopes: () => undefined,
    clock: {
      now: () => new Date(startMs + passedMs),
      elapsed: () => passedMs,
      sleep: async (ms) => {
        delays.push(ms);
        passedMs += ms;
      },
      random: () => 0.5,
    },
    ...more.api,
  });
  return { api, trace, warnings, delays, close: () => transport.close() };
}

export async function clientOf(url: URL, more: Parameters<typeof openClient>[1] = {}): Promise<TestClient> {
  return keep(await openClient(url, more));
}
export const get = ({ api }: TestClient) => api.call(things.get, { id: 7 });
export const create = ({ api }: TestClient) => api.call(things.create, { name: 'a' });
/** What both are answered with. */
export const thing = { response: { id: 7, name: 'a', extra: [1] } };

/** The problem a call ends with. */
export async function problemOf(work: Promise<unknown>): Promise<CliError> {
  const outcome = await work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('error' in outcome && outcome.error instanceof CliError) return outcome.error;
  return expect.fail(`no Problem but ${JSON.stringify(outcome)} ${'error' in outcome ? String(outcome.error) : ''}`);
}

export async function kindOf(work: Promise<unknown>): Promise<ErrorKind> {
  return (await problemOf(work)).kind;
}
