import type { HttpResponse } from '../contract/exchange.ts';
import { writes } from '../contract/operation.ts';
import type { Row } from '../contract/record.ts';
import { operationOf } from '../resources/index.ts';
import { finishAction, startAction } from './actions.ts';
import { advance, type Operate } from './advance.ts';
import { type Ending, isRefusal, type Late, type Refusal, refuse, type SandboxContext } from './context.ts';
import { handlers } from './handlers/index.ts';
import { actionReplies } from './replies/actions.ts';
import { documented, legacy, type ReplyForm, type ReplyFormName } from './replies/forms.ts';
import { checkFields, type RequestValues } from './request/check.ts';
import { type RequestParts, readRequestInput, requestValues } from './request/request-input.ts';
import { findRoutes, pickRoute, type Route } from './request/router.ts';
import type { ActionState, CopiedState, Effect, State } from './state.ts';
import { scopeNames, scopesOf, type Tokens, wellKnownTokens } from './tokens.ts';

/** A received request; `path` is relative to the base address and still percent-encoded. */
interface SandboxRequest extends RequestParts {
  readonly method: string;
  readonly path: string;
  readonly token: string | undefined;
  readonly account?: string | undefined;
}

export interface Behaviour {
  /** Default: `documented`. */
  readonly replies?: ReplyFormName;
  /** New actions and deployments fail without effect. */
  readonly failActions?: boolean;
  /** Refuses parameters that are otherwise ignored. */
  readonly strict?: boolean;
}

export interface Stage extends Behaviour {
  readonly state: State;
  readonly now: Date;
  readonly speed: number;
  /** Base address of backup files. */
  readonly storage: string;
  /** Tokens that are valid without a sign-in. */
  readonly tokens: Tokens;
}

const replyFormByName: Readonly<Record<ReplyFormName, ReplyForm>> = { documented, actions: actionReplies, legacy };

/** Answers one API request and changes the state; never throws for a caller's mistake. */
export function answerQuestion(question: SandboxRequest, stage: Stage): HttpResponse {
  catchUp(stage);
  try {
    const body = handle(question, stage);
    return body === undefined ? { status: 200, headers: {}, text: '' } : jsonAnswer(200, body);
  } catch (error) {
    if (isRefusal(error)) return refusalAnswer(error);
    throw error;
  }
}

export function catchUp(stage: Stage): void {
  const operate: Operate = (action, effect, atMs) => takeStep(action, effect, { ...stage, now: new Date(atMs) });
  advance({ state: stage.state, speed: stage.speed, operate }, stage.now);
}

export function jsonAnswer(status: number, body: unknown): HttpResponse {
  return { status, headers: { 'content-type': 'application/json; charset=utf-8' }, text: JSON.stringify(body) };
}

function handle(question: SandboxRequest, stage: Stage): unknown {
  try {
    return handlePath(question, stage);
  } catch (error) {
    // A trailing `.json` is ignored, except in a path that exists as it is.
    const path = question.path.replaceAll(/\/{2,}/g, '/').replace(/\.json$/, '');
    if (stage.strict || path === question.path || !isRefusal(error) || ![400, 404].includes(error.status)) throw error;
    return handlePath({ ...question, path }, stage);
  }
}

function handlePath(question: SandboxRequest, stage: Stage): unknown {
  const { state, strict = false, replies = 'documented' } = stage;
  const routes = findRoutes(question.method, question.path);
  if (routes.length === 0) refuse(404, `${question.method} ${question.path} not found`);
  const isOpen = routes.every(({ operation }) => operation.scope === 'none');
  const scopes = isOpen ? [] : scopesOf(question.token, stage.tokens, state);
  const values = requestValues(question, strict);
  const route = pickRoute(routes, values) ?? refuse(404, `${question.method} ${question.path} not found`);
  checkScope(route, scopes);
  refuseMissing(route, state);
  const { account } = question;
  const isKnown = isOpen || account === undefined || state.accounts.some(({ row }) => String(row.id) === account);
  if (!isKnown) refuse(403, `account ${account} not found, or you have no access to it`);
  const { page, input } = readRequestInput(route, values, strict);
  const { id, operation } = route;
  const context = contextOf(stage, { id, input }, scopes);
  const work = id === 'stacks.list' && !strict ? filterList(values) : handlerOf(id);
  const reply = replyFormByName[replies]({ id, operation, input, page, context, work });
  if (writes(operation)) state.writes.push({ id, path: question.path, body: values });
  return reply;
}

function refuseMissing({ id, pathValues }: Route, { copy }: State): void {
  const [resource] = id.split('.');
  const places = Object.values(pathValues);
  const isMissing = copy?.without.some(
    ({ section, place }) => section === resource && (place === undefined || places.includes(place)),
  );
  if (isMissing) refuse(403, 'not in the copy', 'not_in_copy');
}

function contextOf(stage: Stage, effect: Effect, scopes: readonly string[]) {
  const { state, now, storage, strict = false, failActions = false } = stage;
  return { state, now, storage, strict, failActions, effect, scopes };
}

/** The rows of a list, such as `variants.list`, in a state; none where the sandbox would refuse it. */
export function rowsIn(part: CopiedState, id: string, given: RequestValues): readonly Row[] {
  const stage = { state: part as State, now: new Date(0), speed: 1, storage: '', tokens: wellKnownTokens };
  try {
    const input = checkFields(operationOf(id)?.params ?? {}, given, { strict: false });
    return [handlerOf(id)(contextOf(stage, { id, input }, scopeNames), input)].flat() as readonly Row[];
  } catch (error) {
    if (isRefusal(error)) return [];
    throw error;
  }
}

function takeStep(action: ActionState, effect: Effect, stage: Stage): void {
  const { row, phase, fails = false } = action;
  const atMs = stage.now.getTime();
  if (phase === 'queued') {
    operateLate(effect, { phase: 'begin', row }, stage);
    startAction(action, atMs);
  } else if (fails) {
    if (!effect.isWhole) operateLate(effect, { phase: 'fail', row }, stage);
    finishAction(action, atMs, { success: false, message: 'Simulated failure.' });
  } else finishAction(action, atMs, operateLate(effect, { phase: 'end', row }, stage));
}

function operateLate(effect: Effect, late: Late, stage: Stage): Ending & { readonly success: boolean } {
  try {
    const reply = handlerOf(effect.id)({ ...contextOf(stage, effect, []), late }, effect.input);
    const { message = 'Done.' } = (reply ?? {}) as Partial<Ending>;
    return { success: true, message, ...late.ending };
  } catch (error) {
    if (isRefusal(error)) return { success: false, message: error.message };
    throw error;
  }
}

function checkScope({ id, operation: { scope } }: Route, scopes: readonly string[]): void {
  if (scope === 'none' || scope === 'unknown' || scopes.includes(scope)) return;
  // service.md has two operations on this path, one for each scope.
  if (id === 'serverSettings.list' && scopes.includes('admin')) return;
  refuse(403, `the access token lacks the scope ${scope}`);
}

type AnyHandler = (context: SandboxContext, input: RequestValues) => unknown;

/** The service accepts `filter_name` and similar parameters, which are not documented. */
const filters = { name: 'name', environment: 'environment', git_repo: 'git', git_branch: 'git_branch' } as const;

function filterList(values: RequestValues): AnyHandler {
  const conditions = Object.entries(filters).flatMap(([name, field]) => {
    const value = values[`filter_${name}`];
    return value === undefined || value === '' ? [] : [[field, value] as const];
  });
  return (context, _) =>
    handlers.stacks.list(context, {}).filter((row) => conditions.every(([field, value]) => row[field] === value));
}

function handlerOf(id: string): AnyHandler {
  // The only place where a checked input is passed to its typed handler.
  const [resource = '', verb = ''] = id.split('.');
  const all: Readonly<Record<string, object>> = handlers;
  return (all[resource] as Readonly<Record<string, AnyHandler>>)[verb] ?? refuse(404, `no handler for ${id}`);
}

const errorWords = {
  400: ['bad_request', 'The request is invalid.'],
  401: ['unauthenticated', 'Authentication failed.'],
  403: ['forbidden', 'You may not do this.'],
  404: ['not_found', 'The resource does not exist or is not accessible.'],
} as const;

function refusalAnswer({ status, message, code }: Refusal): HttpResponse {
  if (status === 501) return jsonAnswer(501, { response: { message, status: 'not_implemented' } });
  const [error, error_description] = errorWords[status];
  return jsonAnswer(status, { error: code ?? error, error_description, details: message });
}
