import type { HttpRequest } from '../contract/exchange.ts';
import type { Input } from '../contract/field.ts';
import type { Operation } from '../contract/operation.ts';
import { writeJson } from '../json/write.ts';

/** Names under which services take credentials, whatever the endpoint. */
const secretName = /token|secret|passw|passphrase|credential|private_?key|api_?key/i;

/** A request of `api`: path, query and body as typed, and copies that mask every value with the name of a secret. */
export function rawRequest({ method, path, params }: Operation, input: Input): HttpRequest {
  const query = input['query'] instanceof URLSearchParams ? input['query'] : new URLSearchParams();
  const body = input['body'] === undefined ? undefined : bodyText(input['body']);
  const isSecret = (name: string) => params[name]?.secret === true || secretName.test(name);
  const fields = [...query, ...leavesOf(parsed(input['body']), '')];
  const inPath = Object.entries(input).filter(([name, value]) => typeof value === 'string' && isSecret(name));
  const secrets = [...inPath, ...fields].flatMap(([name, value]) => (isSecret(name) && value ? [String(value)] : []));
  const written = fields.map(([, value]) => value);
  const request = { method, path, query, body, ...(written.length > 0 && { written }) };
  if (secrets.length === 0) return request;
  return {
    ...request,
    secrets,
    shownPath: withoutSecrets(path, secrets),
    shownQuery: new URLSearchParams(
      [...query].map(([name, value]): [string, string] => [name, isSecret(name) ? '***' : value]),
    ),
    ...(body !== undefined && { shownBody: maskedBody(input['body'], isSecret) }),
  };
}

function bodyText(body: unknown): string {
  return typeof body === 'string' ? body : writeJson(body, { indent: false, escapeControls: false });
}

/** A text comes from a file that was checked to be JSON. */
function parsed(body: unknown): unknown {
  return typeof body === 'string' ? JSON.parse(body) : body;
}

type Leaf = readonly [name: string, value: string];

/** All texts of a body, each under the nearest name above it: `{"a":{"b":["x"]}}` holds `b`, `x`. */
function leavesOf(value: unknown, name: string): readonly Leaf[] {
  if (typeof value === 'string') return [[name, value]];
  if (Array.isArray(value)) return value.flatMap((item) => leavesOf(item, name));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([inner, item]) => leavesOf(item, inner));
}

function maskedBody(body: unknown, isSecret: (name: string) => boolean): string {
  const mask = (value: unknown, name: string): unknown => {
    if (typeof value === 'string') return isSecret(name) ? '***' : value;
    if (Array.isArray(value)) return value.map((item) => mask(item, name));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([inner, item]) => [inner, mask(item, inner)]));
  };
  return bodyText(mask(parsed(body), ''));
}

function withoutSecrets(path: string, secrets: readonly string[]): string {
  const isSecret = (segment: string) =>
    secrets.some((secret) => segment === secret || segment === encodeURIComponent(secret));
  return path
    .split('/')
    .map((segment) => (isSecret(segment) ? '***' : segment))
    .join('/');
}
