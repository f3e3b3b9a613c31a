import type { HttpResponse } from '../contract/exchange.ts';
import { isWriteOperation } from '../contract/operation.ts';
import type { Row } from '../contract/record.ts';
import { operationById } from '../resources/index.ts';
import { finishAction, startAction } from './actions.ts';
import { type AdvanceOptions, advanceState } from './advance.ts';
import {
  type ActionOutcome,
  type ActionResult,
  type ActionStep,
  isRefusal,
  type Refusal,
  refuse,
  type SandboxContext,
} from './context.ts';
import { handlers } from './handlers/index.ts';
import { makeActionReply } from './replies/actions.ts';
import { type MakeReply, makeDocumentedReply, makeLegacyReply, type ReplyFormat } from './replies/forms.ts';
import { checkFields, type RequestValues } from './request/check.ts';
import { type RequestParts, readRequestInput, readRequestValues } from './request/request-input.ts';
import { findRoutes, pickRoute, type Route } from './request/router.ts';
import type { ReceivedRequest } from './server/call.ts';
import type { ActionState, CopiedState, CopyOrigin, OperationCall, State } from './state.ts';
import { type ScopesByToken, scopeNames, scopesOf, wellKnownTokens } from './tokens.ts';

/** A received request; `path` is relative to the base address and still percent-encoded. */
interface SandboxRequest extends RequestParts, Pick<ReceivedRequest, 'method' | 'path' | 'token'> {
  readonly account?: string | undefined;
}

export interface SandboxBehaviour {
  /** Format of the replies. Default: `documented`. */
  readonly replies?: ReplyFormat | undefined;
  readonly failActions?: boolean | undefined;
  /** If true, the sandbox refuses what it otherwise tolerates, such as unknown parameters. */
  readonly strict?: boolean | undefined;
}

export interface AnswerOptions extends SandboxBehaviour, AdvanceOptions {
  readonly storage?: string;
  /** Tokens that are valid without a sign-in. Default: `wellKnownTokens`. */
  readonly tokens?: ScopesByToken;
}

const replyMakerByFormat: Readonly<Record<ReplyFormat, MakeReply>> = {
  documented: makeDocumentedReply,
  actions: makeActionReply,
  legacy: makeLegacyReply,
};

/** Answers one API request and changes the state. If the sandbox refuses the request, returns an error response. */
export function answerRequest(request: SandboxRequest, options: AnswerOptions): HttpResponse {
  catchUpState(options);
  try {
    const body = handleRequest(request, options);
    return body === undefined ? { status: 200, headers: {}, text: '' } : jsonResponse(200, body);
  } catch (error) {
    if (isRefusal(error)) return refusalResponse(error);
    throw error;
  }
}

export function catchUpState(options: AnswerOptions): void {
  advanceState(options, (action, effect, atMs) => runNextStep(action, effect, { ...options, now: new Date(atMs) }));
}

export function jsonResponse(status: number, body: unknown): HttpResponse {
  return { status, headers: { 'content-type': 'application/json; charset=utf-8' }, text: JSON.stringify(body) };
}

function handleRequest(request: SandboxRequest, options: AnswerOptions): unknown {
  try {
    return handleExactPath(request, options);
  } catch (error) {
    // Unless `strict`, a refused request is tried again without doubled slashes and a trailing `.json` in its path.
    const path = request.path.replaceAll(/\/{2,}/g, '/').replace(/\.json$/, '');
    if (options.strict || path === request.path || !isRefusal(error) || ![400, 404].includes(error.status)) throw error;
    return handleExactPath({ ...request, path }, options);
  }
}

function handleExactPath(request: SandboxRequest, options: AnswerOptions): unknown {
  const { state, strict = false, replies = 'documented', tokens = wellKnownTokens } = options;
  const routes = findRoutes(request.method, request.path);
  if (routes.length === 0) refuse(404, `${request.method} ${request.path} not found`);
  const needsNoToken = routes.every(({ operation }) => operation.scope === 'none');
  const scopes = needsNoToken ? [] : scopesOf(request.token, tokens, state);
  const values = readRequestValues(request, strict);
  const route = pickRoute(routes, values) ?? refuse(404, `${request.method} ${request.path} not found`);
  checkScope(route, scopes);
  const missingSection = missingSectionOf(route.id, Object.values(route.pathValues), state.copy?.without ?? []);
  if (missingSection) refuse(403, 'not in the copy', 'not_in_copy');
  if (!needsNoToken) refuseUnknownAccount(request, state);
  const { page, input } = readRequestInput(route, values, strict);
  const { id, operation } = route;
  const context = contextOf(options, { id, input }, scopes);
  const handler = id === 'stacks.list' && !strict ? createFilteredListHandler(values) : handlerOf(id);
  const reply = replyMakerByFormat[replies]({ id, operation, input, page, context, handler });
  if (isWriteOperation(operation)) state.writes.push({ id, path: request.path, body: values });
  return reply;
}

function refuseUnknownAccount({ account }: SandboxRequest, { accounts }: State): void {
  if (account === undefined || accounts.some(({ row }) => String(row.id) === account)) return;
  refuse(403, `account ${account} not found, or you have no access to it`);
}

/** Returns the section of an operation that is missing in a copy, if a place with one of the IDs lacks it. */
export function missingSectionOf(operationId: string, placeIds: readonly string[], missing: CopyOrigin['without']) {
  const isPlace = (place: string | undefined) => place === undefined || placeIds.includes(place);
  return missing.find(({ section, place }) => operationId.startsWith(`${section}.`) && isPlace(place));
}

function contextOf(options: AnswerOptions, effect: OperationCall, scopes: readonly string[]) {
  const { state, now, storage = '', strict = false, failActions = false } = options;
  return { state, now, storage, strict, failActions, effect, scopes };
}

/** Returns the reply of a list, such as `variants.list`, for a state; no rows if the sandbox refuses the request. */
export function listRows(state: CopiedState, id: string, values: RequestValues): readonly Row[] {
  try {
    const input = checkFields(operationById(id)?.params ?? {}, values, { strict: false });
    const context = contextOf({ state: state as State, now: new Date(0) }, { id, input }, scopeNames);
    return [handlerOf(id)(context, input)].flat() as readonly Row[];
  } catch (error) {
    if (isRefusal(error)) return [];
    throw error;
  }
}

function runNextStep(action: ActionState, effect: OperationCall, options: AnswerOptions): void {
  const { row, phase, fails = false } = action;
  const atMs = options.now.getTime();
  if (phase === 'queued') {
    runStep(effect, { phase: 'begin', row }, options);
    startAction(action, atMs);
  } else if (fails) {
    if (!effect.isWhole) runStep(effect, { phase: 'fail', row }, options);
    finishAction(action, atMs, { success: false, message: 'Simulated failure.' });
  } else finishAction(action, atMs, runStep(effect, { phase: 'end', row }, options));
}

function runStep(effect: OperationCall, step: ActionStep, options: AnswerOptions): ActionOutcome {
  try {
    const reply = handlerOf(effect.id)({ ...contextOf(options, effect, []), step }, effect.input);
    const { message = 'Done.' } = (reply ?? {}) as Partial<ActionResult>;
    return { success: true, message, ...step.result };
  } catch (error) {
    if (isRefusal(error)) return { success: false, message: error.message };
    throw error;
  }
}

function checkScope({ id, operation: { scope } }: Route, scopes: readonly string[]): void {
  if (scope === 'none' || scope === 'unknown' || scopes.includes(scope)) return;
  // service.md has two lists on this path, for `public` and for `admin`, so either scope is enough.
  if (id === 'serverSettings.list' && scopes.includes('admin')) return;
  refuse(403, `the access token lacks the scope ${scope}`);
}

type AnyHandler = (context: SandboxContext, input: RequestValues) => unknown;

/** Fields of a stack by which an undocumented parameter filters: `filter_git_repo` filters by the field `git`. */
const stackFilters = { name: 'name', environment: 'environment', git_repo: 'git', git_branch: 'git_branch' } as const;

function createFilteredListHandler(values: RequestValues): AnyHandler {
  const conditions = Object.entries(stackFilters).filter(([name]) => values[`filter_${name}`]);
  const isWanted = (row: Row) => conditions.every(([name, field]) => row[field] === values[`filter_${name}`]);
  return (context, _) => handlers.stacks.list(context, {}).filter(isWanted);
}

function handlerOf(id: string): AnyHandler {
  // `AnyHandler` drops the type of the input. The input was checked against the parameters of this operation before.
  const [resource = '', verb = ''] = id.split('.');
  const handlersByResource: Readonly<Record<string, object>> = handlers;
  const handlersByVerb = handlersByResource[resource] as Readonly<Record<string, AnyHandler>>;
  return handlersByVerb[verb] ?? refuse(404, `no handler for ${id}`);
}

const errorTextsByStatus = {
  400: ['bad_request', 'The request is invalid.'],
  401: ['unauthenticated', 'Authentication failed.'],
  403: ['forbidden', 'You may not do this.'],
  404: ['not_found', 'The resource does not exist or is not accessible.'],
} as const;

function refusalResponse({ status, message, code }: Refusal): HttpResponse {
  if (status === 501) return jsonResponse(501, { response: { message, status: 'not_implemented' } });
  const [error, error_description] = errorTextsByStatus[status];
  return jsonResponse(status, { error: code ?? error, error_description, details: message });
}
