import { checkCommand, fillCommand } from '../contract/command-line.ts';
import type { HttpRequest, Transport } from '../contract/exchange.ts';
import type { Calls, InputOf, Operation, ReadMore, ReplyOf } from '../contract/operation.ts';
import { isObject } from '../contract/values/json.ts';
import { CliError } from '../errors/cli-error.ts';
import { lostReplyError, missingIn, namedStack, type StackTitle, stackLister } from './call-error.ts';
import { type Walk, walkPages } from './pages.ts';
import { type RowPage, readReply, readRows, typedRows } from './reply.ts';
import { toRequest, withAccount } from './request.ts';
import { type Sending, type SendOptions, type SentCall, sendWithRetries } from './send.ts';

export interface ApiOptions extends SendOptions {
  readonly transport: () => Promise<Transport>;
  /** ID of the account; undefined for the default of the service. */
  readonly account?: () => string | undefined;
  readonly titleOfStack: StackTitle;
  /** Scopes requested at login, when known. */
  readonly loginScopes: () => readonly string[] | undefined;
  /** Called only for operations that need a scope. `refused` asks for another token. */
  readonly token: (refused?: string) => Promise<string>;
}

/** Creates the client of one service. */
export function createApi(options: ApiOptions): Calls {
  const warned = new Set<string>();
  const run = { changed: false };
  const answered = new Set<string | undefined>();
  const titleOf: StackTitle = (uid) => options.titleOfStack(uid) ?? (answered.has(uid) ? `stack ${uid}` : undefined);
  let transport: Promise<Transport> | undefined;
  const warnOnce = (line: string): void => {
    if (warned.has(line)) return;
    warned.add(line);
    options.warn(line);
  };
  const sendingOf = async (
    operation: Operation,
    input: InputOf<Operation>,
    { signal, attemptMs }: ReadMore = {},
  ): Promise<Sending> => {
    const token = async (refused?: string) => {
      if (operation.scope === 'none') return undefined;
      const next = await options.token(refused);
      options.redactor.hide(next);
      return next;
    };
    // Without a token no connection is opened.
    await token();
    transport ??= options.transport();
    return {
      options: {
        ...options,
        warn: warnOnce,
        ...(signal && { signal: AbortSignal.any([options.signal, signal]) }),
        ...(attemptMs && { isPolled: true, budgetMs: Math.min(attemptMs, options.budgetMs) }),
      },
      about: {
        operation,
        check: checkCommand(operation, input),
        missing: missingIn(operation, input, titleOf),
        lister: fillCommand(operation.lister, input) ?? stackLister(operation, input, titleOf),
        quote: options.redactor.quote,
        loginScopes: options.loginScopes,
      },
      token,
      transport: await transport,
      run,
    };
  };
  return {
    async call<O extends Operation>(operation: O, input: InputOf<O>, more: ReadMore = {}) {
      const request = secretRequest(operation, input, options);
      const sending = await sendingOf(operation, input, more);
      const value = isList(operation)
        ? await readList({ sending, request, limit: more.limit, isHeld: true })
        : refuseOther(operation, input, await readOne(sending, request));
      answered.add(namedStack(operation, input));
      return value as ReplyOf<O>;
    },
    async eachPage(operation, input, take, { limit } = {}) {
      const request = secretRequest(operation, input, options);
      const listing = { sending: await sendingOf(operation, input), request, limit, isHeld: false };
      for await (const rows of pagesOf(listing)) {
        if (!(await take(rows))) return;
      }
    },
  };
}

/** Builds a request and registers its secrets and written values with the redactor. */
export function secretRequest(
  operation: Operation,
  input: Readonly<Record<string, unknown>>,
  { redactor, account }: Pick<ApiOptions, 'redactor' | 'account'>,
): HttpRequest {
  const request = withAccount(toRequest(operation, input), operation, account?.());
  for (const secret of request.secrets ?? []) for (const part of partsOf(secret)) redactor.hide(part);
  for (const value of request.written ?? []) redactor.written(value);
  return request;
}

const signatureName = /sig|token|secret|credential|passw|key/i;

/** A signed query is a secret, and so is each of its signatures. */
export function partsOf(secret: string): readonly string[] {
  const signatures = [...new URLSearchParams(secret)].filter(
    ([name, value]) => signatureName.test(name) || value.length >= 20,
  );
  return [secret, ...signatures.map(([, value]) => value)];
}

function isList(operation: Operation): boolean {
  return operation.method === 'GET' && (operation.reply.envelope === 'page' || operation.reply.envelope === 'rows');
}

async function readOne(sending: Sending, request: HttpRequest): Promise<unknown> {
  const { call, response } = await sendWithRetries(sending, request);
  return readReply(call, response);
}

/** A record with another ID says nothing about the requested one; throws unavailable. */
function refuseOther({ idParam, reply }: Operation, input: InputOf<Operation>, value: unknown): unknown {
  const id = isObject(value) ? value['id'] : undefined;
  if (idParam === undefined || String(id) === String(input[idParam])) return value;
  const name = reply.record?.name ?? 'record';
  const other = id == null ? 'a record without ID' : `${name} ${String(id)}`;
  throw new CliError('unavailable', `the service answered with ${other}, not ${String(input[idParam])}`);
}

async function readList(listing: Listing): Promise<unknown> {
  const pages: (readonly unknown[])[] = [];
  for await (const rows of pagesOf(listing)) pages.push(rows);
  // Avoids copying a long list.
  return pages.length === 1 ? pages[0] : pages.flat();
}

interface Listing extends Pick<Walk, 'limit' | 'isHeld'> {
  readonly sending: Sending;
  readonly request: HttpRequest;
}

async function* pagesOf({ sending, request, ...walk }: Listing): AsyncGenerator<readonly unknown[]> {
  const stop = new AbortController();
  const { signal } = sending.options;
  const further = { ...sending, options: { ...sending.options, signal: AbortSignal.any([signal, stop.signal]) } };
  let begun: SentCall | undefined = await sendWithRetries(sending, request);
  const { call: first } = begun;
  const pageQuery = (page: number) => new URLSearchParams([...request.query, ['page', String(page)]]);
  const fetch = async (page = 1): Promise<RowPage> => {
    const { call, response } = begun ?? (await sendWithRetries(further, { ...request, query: pageQuery(page) }));
    // Holding the response would hold its text in memory.
    begun = undefined;
    return readRows(call, response);
  };
  // An explicit page number reads that page only.
  const isRequested = rowFilter(sending.about.operation, request.query);
  if (request.query.has('page')) return yield typedRows(first, (await fetch()).rows.filter(isRequested));
  try {
    const pages = walkPages({
      ...walk,
      fetch,
      isRequested,
      keyName: sending.about.operation.reply.record?.id,
      warn: sending.options.warn,
      incomplete: (why) => lostReplyError(first, `the list is incomplete: ${why}`).with({ why }),
    });
    for await (const rows of pages) yield typedRows(first, rows);
  } finally {
    // Ends the pages that were read ahead.
    stop.abort();
  }
}

function rowFilter({ filters = [] }: Operation, query: URLSearchParams): (row: unknown) => boolean {
  const requested = filters.flatMap((name) => (query.has(name) ? [{ name, value: query.get(name) ?? '' }] : []));
  return (row) => !isObject(row) || requested.every(({ name, value }) => String(row[name] ?? value) === value);
}
