import type { HttpAnswer } from '../contract/exchange.ts';
import type { Operation } from '../contract/operation.ts';
import { advance } from './advance.ts';
import { checkFields, type Given } from './check.ts';
import { isPaged, wrap } from './envelope.ts';
import { handlers } from './handlers/index.ts';
import { isRefusal, type Refusal, refuse } from './refusal.ts';
import { findRoutes, pickRoute, type Route } from './router.ts';
import type { State } from './state.ts';
import { scopesOf } from './tokens.ts';
import type { World } from './world.ts';

/** A request as it arrived; `path` is relative to the base address and still percent-encoded. */
export interface Question {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string | undefined;
  readonly token: string | undefined;
}

export interface Stage {
  readonly state: State;
  readonly now: Date;
  readonly speed: number;
  /** Where backup files are served from. */
  readonly storage: string;
}

/** On every answer, so that nobody takes the sandbox for the service. */
export const sandboxMark = { 'x-stackops-sandbox': '1' };
const callerName = 'ada@harbour.example';

/** Answers one API request and changes the state; never throws for anything a caller can send. */
export function answerQuestion(question: Question, stage: Stage): HttpAnswer {
  advance(stage.state, stage.now, stage.speed);
  try {
    const body = handle(question, stage);
    return body === undefined ? { status: 200, headers: sandboxMark, text: '' } : jsonAnswer(200, body);
  } catch (error) {
    if (isRefusal(error)) return refusalAnswer(error);
    throw error;
  }
}

/** One JSON answer with the mark of the sandbox. */
export function jsonAnswer(status: number, body: unknown): HttpAnswer {
  const headers = { ...sandboxMark, 'content-type': 'application/json; charset=utf-8' };
  return { status, headers, text: JSON.stringify(body) };
}

function handle(question: Question, { state, now, storage }: Stage): unknown {
  const routes = findRoutes(question.method, question.path);
  if (routes.length === 0) refuse(404, `there is no ${question.method} ${question.path}`);
  const isOpen = routes.every(({ operation }) => operation.scope === 'none');
  const scopes = isOpen ? [] : scopesOf(state, question.token);
  const given = givenBy(question);
  const route = pickRoute(routes, given) ?? refuse(404, `there is no ${question.method} ${question.path}`);
  checkScope(route, scopes);
  const { page, input } = readInput(route, given);
  const value = handlerOf(route.id)({ state, now, storage, caller: { name: callerName, scopes } }, input);
  return wrap(route.operation.reply, value, { path: route.operation.path, page });
}

/** Two entries of service.md share this path: one for each scope. */
const alsoForAdmin = 'serverSettings.list';

function checkScope({ id, operation: { scope } }: Route, scopes: readonly string[]): void {
  if (scope === 'none' || scopes.includes(scope)) return;
  if (id === alsoForAdmin && scopes.includes('admin')) return;
  refuse(403, `the access token lacks the scope ${scope}`);
}

/** Query and JSON body together: service.md says that both forms appear, and not which endpoint takes which. */
function givenBy({ query, body }: Question): Given {
  const names = [...new Set(query.keys())];
  const pairs = names.map((name) =>
    name.endsWith('[]') ? [name.slice(0, -2), query.getAll(name)] : [name, query.get(name)],
  );
  return { ...Object.fromEntries(pairs), ...readBody(body) };
}

function readBody(body: string | undefined): Given {
  if (body === undefined || body === '') return {};
  const value = parseJson(body);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Given;
  return refuse(400, 'the body must be a JSON object');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return refuse(400, 'the body is not JSON');
  }
}

/** Bodies of unknown shape (service.md: cluster creation), and those of which only a part counts (user update). */
const openBodies: readonly string[] = ['clusters.create', 'users.update'];

function readInput(route: Route, all: Given): { readonly page: number; readonly input: Given } {
  const { operation, pathValues } = route;
  const given = openBodies.includes(route.id) ? known(operation, all) : all;
  const twice = Object.keys(pathValues).find((name) => Object.hasOwn(given, name));
  if (twice !== undefined) refuse(400, `parameter "${twice}" belongs in the path only`);
  const { page, ...rest } = given;
  if (!isPaged(operation.reply)) return { page: 1, input: checkFields(operation.params, { ...given, ...pathValues }) };
  return { page: readPage(page), input: checkFields(operation.params, { ...rest, ...pathValues }) };
}

function known({ params }: Operation, given: Given): Given {
  return Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(params, name)));
}

function readPage(value: unknown): number {
  const page = Number(value ?? 1);
  return Number.isSafeInteger(page) && page >= 1
    ? page
    : refuse(400, 'parameter "page" must be an integer, at least 1');
}

type AnyHandler = (world: World, input: Given) => unknown;

/** The one place where a checked input meets its typed handler. */
function handlerOf(id: string): AnyHandler {
  const [noun = '', verb = ''] = id.split('.');
  const all: Readonly<Record<string, object>> = handlers;
  return (all[noun] as Readonly<Record<string, AnyHandler>>)[verb] ?? refuse(404, `nothing handles ${id}`);
}

const errorWords = {
  400: ['bad_request', 'The request is invalid.'],
  401: ['unauthenticated', 'Authentication failed.'],
  403: ['forbidden', 'You may not do this.'],
  404: ['not_found', 'The resource does not exist or is not accessible.'],
} as const;

function refusalAnswer({ status, message }: Refusal): HttpAnswer {
  if (status === 501) return jsonAnswer(501, { response: { message, status: 'not_implemented' } });
  const [error, error_description] = errorWords[status];
  return jsonAnswer(status, { error, error_description, details: message });
}
