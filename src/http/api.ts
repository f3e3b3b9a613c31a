import { fillCommand, outcomeCheckCommand } from '../contract/command-line.ts';
import type { HttpRequest, Transport } from '../contract/exchange.ts';
import type { Input } from '../contract/field.ts';
import type { Calls, InputOf, Operation, ReadOptions, ReplyOf } from '../contract/operation.ts';
import { isListReply } from '../contract/reply.ts';
import { isObject } from '../contract/values/json.ts';
import { CliError } from '../errors/cli-error.ts';
import {
  type CallParts,
  type FindStackTitle,
  findMissing,
  lostReplyError,
  stackListCommand,
  stackUidIn,
} from './call-error.ts';
import { type PageWalk, walkPages } from './pages.ts';
import { type RowPage, readReply, readRows, typedRows } from './reply.ts';
import { toRequest, withAccount } from './request.ts';
import { type AnsweredCall, type SendContext, type SendOptions, sendWithRetries } from './send.ts';

export interface ApiOptions extends SendOptions, Pick<CallParts, 'loginScopes'> {
  readonly transport: () => Promise<Transport>;
  /** Returns the ID of the account; undefined for the service's default account. */
  readonly account?: () => string | undefined;
  readonly titleOfStack: FindStackTitle;
  /** Returns the token. If `refusedToken` is set, the service refused that token. Not called if no token is needed. */
  readonly token: (refusedToken?: string) => Promise<string>;
}

export function createApi(options: ApiOptions): Calls {
  const warnedLines = new Set<string>();
  const runState = { hasWritten: false };
  const existingUids = new Set<string | undefined>();
  const titleOf = (uid: string) => options.titleOfStack(uid) ?? (existingUids.has(uid) ? `stack ${uid}` : undefined);
  let pendingTransport: Promise<Transport> | undefined;
  const warnOnce = (line: string): void => {
    if (!warnedLines.has(line)) options.warn(line);
    warnedLines.add(line);
  };
  const createContext = async (operation: Operation, input: Input, { signal, attemptTimeoutMs }: ReadOptions = {}) => {
    const token = async (refusedToken?: string) => {
      if (operation.scope === 'none') return undefined;
      const currentToken = await options.token(refusedToken);
      options.redactor.hide(currentToken);
      return currentToken;
    };
    // The token is fetched first, so that no connection is opened if there is no token.
    await token();
    pendingTransport ??= options.transport();
    return {
      ...options,
      warn: warnOnce,
      ...(signal && { signal: AbortSignal.any([options.signal, signal]) }),
      ...(attemptTimeoutMs && { isPolled: true, budgetMs: Math.min(attemptTimeoutMs, options.budgetMs) }),
      sharedCallParts: {
        operation,
        checkCommand: outcomeCheckCommand(operation, input),
        missing: findMissing(operation, input, titleOf),
        listCommand: fillCommand(operation.listCommand, input) ?? stackListCommand(operation, input, titleOf),
        quote: options.redactor.quote,
        loginScopes: options.loginScopes,
      },
      token,
      transport: await pendingTransport,
      runState,
    };
  };
  return {
    async call<O extends Operation>(operation: O, input: InputOf<O>, readOptions: ReadOptions = {}) {
      const request = prepareRequest(operation, input, options);
      const context = await createContext(operation, input, readOptions);
      const value = isListOperation(operation)
        ? await readList({ context, request, limit: readOptions.limit, isHeld: true })
        : refuseOtherRecord(operation, input, await fetchReply(context, request));
      existingUids.add(stackUidIn(operation, input));
      return value as ReplyOf<O>;
    },
    async eachPage(operation, input, take, { limit } = {}) {
      const request = prepareRequest(operation, input, options);
      const listing = { context: await createContext(operation, input), request, limit, isHeld: false };
      for await (const rows of readPages(listing)) if (!(await take(rows))) return;
    },
  };
}

type RequestOptions = Pick<ApiOptions, 'redactor' | 'account'>;

/** Builds a request and registers its secrets and written values with the redactor. */
export function prepareRequest(operation: Operation, input: Input, { redactor, account }: RequestOptions): HttpRequest {
  const request = withAccount(toRequest(operation, input), operation, account?.());
  for (const secret of request.secrets ?? []) for (const part of secretParts(secret)) redactor.hide(part);
  for (const value of request.written ?? []) redactor.hideWritten(value);
  return request;
}

const signatureNamePattern = /sig|token|secret|credential|passw|key/i;

/** Returns the secret itself and, if it is the query of a signed address, each signature in it, decoded and as sent. */
export function secretParts(secret: string): readonly string[] {
  const signatures = secret.split('&').flatMap((part) => {
    const [[name = '', value = ''] = []] = new URLSearchParams(part);
    const isSignature = value !== '' && (signatureNamePattern.test(name) || value.length >= 20);
    return isSignature ? [value, part.slice(part.indexOf('=') + 1)] : [];
  });
  return [secret, ...signatures];
}

function isListOperation({ method, reply }: Operation): boolean {
  return method === 'GET' && isListReply(reply);
}

async function fetchReply(context: SendContext, request: HttpRequest): Promise<unknown> {
  const { call, response } = await sendWithRetries(context, request);
  return readReply(call, response);
}

/** Returns the value. Throws `unavailable` if the request named an ID and the value does not have that ID. */
function refuseOtherRecord({ idParam, reply }: Operation, input: InputOf<Operation>, value: unknown): unknown {
  const id = isObject(value) ? value['id'] : undefined;
  if (idParam === undefined || String(id) === String(input[idParam])) return value;
  const name = reply.record?.name ?? 'record';
  const receivedRecordText = id == null ? 'a record without ID' : `${name} ${String(id)}`;
  throw new CliError('unavailable', `the service answered with ${receivedRecordText}, not ${String(input[idParam])}`);
}

async function readList(listing: Listing): Promise<unknown> {
  const pages: (readonly unknown[])[] = [];
  for await (const rows of readPages(listing)) pages.push(rows);
  // The rows of a single page are not copied, because they may be many.
  return pages.length === 1 ? pages[0] : pages.flat();
}

interface Listing extends Pick<PageWalk, 'limit' | 'isHeld'> {
  readonly context: SendContext;
  readonly request: HttpRequest;
}

async function* readPages({ context, request, ...walk }: Listing): AsyncGenerator<readonly unknown[]> {
  const { operation } = context.sharedCallParts;
  const stopController = new AbortController();
  const nextContext = { ...context, signal: AbortSignal.any([context.signal, stopController.signal]) };
  let first: AnsweredCall | undefined = await sendWithRetries(context, request);
  const { call: firstCall } = first;
  const pageQuery = (page: number) => new URLSearchParams([...request.query, ['page', String(page)]]);
  const fetchPage = async (page = 1): Promise<RowPage> => {
    const { call, response } = first ?? (await sendWithRetries(nextContext, { ...request, query: pageQuery(page) }));
    // The first response is released, because it holds its whole text in memory.
    first = undefined;
    return readRows(call, response);
  };
  const isRequested = createRowFilter(operation, request.query);
  // If the request names a page, only that page is read.
  if (request.query.has('page')) return yield typedRows(firstCall, (await fetchPage()).rows.filter(isRequested));
  try {
    const pages = walkPages({
      ...walk,
      fetchPage,
      isRequested,
      keyName: operation.reply.record?.id,
      warn: context.warn,
      incompleteError: (why) => lostReplyError(firstCall, `the list is incomplete: ${why}`).with({ why }),
    });
    for await (const rows of pages) yield typedRows(firstCall, rows);
  } finally {
    // Ends the requests for pages that are read ahead.
    stopController.abort();
  }
}

function createRowFilter({ filters = [] }: Operation, query: URLSearchParams): (row: unknown) => boolean {
  const filterValues = filters.flatMap((name) => (query.has(name) ? [{ name, value: query.get(name) ?? '' }] : []));
  return (row) => !isObject(row) || filterValues.every(({ name, value }) => String(row[name] ?? value) === value);
}
