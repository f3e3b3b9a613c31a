import type { HttpRequest } from '../contract/exchange.ts';
import type { Field, Input } from '../contract/field.ts';
import { fillPath, type Operation, pathParamNames } from '../contract/operation.ts';
import { mapTexts } from '../contract/values/json.ts';
import { CliError } from '../errors/cli-error.ts';
import { writeJson } from '../json/write.ts';

/** Builds the request of an operation. Throws `usage` for a value that would change the path. */
export function toRequest(operation: Operation, input: Input): HttpRequest {
  if (operation.sends === 'raw') return rawRequest(operation, input);
  const written = findWrittenValues(operation, input);
  return { method: operation.method, ...requestParts(operation, input), ...maskParts(operation, input), written };
}

type RequestParts = Pick<HttpRequest, 'path' | 'query' | 'body'>;

function requestParts(operation: Operation, input: Input): RequestParts {
  const pathParams = pathParamNames(operation.path);
  const otherParams = Object.entries(input)
    .filter(([name, value]) => value !== undefined && !pathParams.includes(name))
    .map(([name, value]) => [name, operation.params[name]?.commas ? String(value) : value] as const);
  const hasParamsInBody = sendsBody(operation);
  return {
    path: fillCheckedPath(operation.path, input),
    query: hasParamsInBody ? new URLSearchParams() : toQuery(otherParams),
    body: hasParamsInBody && otherParams.length > 0 ? bodyText(Object.fromEntries(otherParams)) : undefined,
  };
}

function findWrittenValues({ params }: Operation, input: Input): readonly string[] {
  return Object.entries(input).flatMap(([name, value]) => {
    // Fields without a declaration count as sensitive: the user added them with `--field`.
    const isSensitive = params[name] === undefined || params[name].sensitive;
    return isSensitive && typeof value === 'string' ? [value] : [];
  });
}

/** Adds the account to a request, unless the request needs no token or reads reference data, which have no account. */
export function withAccount(request: HttpRequest, { scope }: Operation, account: string | undefined): HttpRequest {
  const hasNoAccount = scope === 'none' || request.path.startsWith('/reference/');
  return account === undefined || hasNoAccount ? request : { ...request, account };
}

function maskParts(operation: Operation, input: Input): Pick<HttpRequest, 'masked' | 'secrets'> {
  const maskedFields = Object.entries(input).flatMap(([name, value]) => maskValue(operation.params[name], name, value));
  if (maskedFields.length === 0) return {};
  const maskedInput = { ...input, ...Object.fromEntries(maskedFields.map(({ name, shown }) => [name, shown])) };
  return { masked: requestParts(operation, maskedInput), secrets: maskedFields.flatMap(({ secrets }) => secrets) };
}

function maskValue(field: Field | undefined, name: string, value: unknown) {
  if (value === undefined) return [];
  if (field?.secret) return [{ name, shown: '***', secrets: field.sensitive ? [] : [String(value)] }];
  if (!field?.signed) return [];
  const [, scheme = '', userInfo, address = '', query] =
    /^(\w+:\/\/)?(?:([^/?#]*)@)?([^?]*)(?:\?(.+))?$/s.exec(String(value)) ?? [];
  const secrets = [userInfo, userInfo?.split(':')[1], query].filter((part) => part !== undefined);
  const maskedText = `${scheme}${userInfo === undefined ? '' : '***@'}${address}${query === undefined ? '' : '?***'}`;
  return secrets.length === 0 ? [] : [{ name, shown: maskedText, secrets }];
}

function sendsBody(operation: Operation): boolean {
  if (operation.sends) return operation.sends === 'body';
  return operation.method !== 'GET' && operation.method !== 'DELETE';
}

function toQuery(otherParams: readonly (readonly [string, unknown])[]): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of otherParams) {
    if (Array.isArray(value)) for (const item of value) query.append(`${name}[]`, String(item));
    else query.append(name, String(value));
  }
  return query;
}

function fillCheckedPath(path: string, input: Input): string {
  try {
    return fillPath(path, input);
  } catch (error) {
    throw new CliError('usage', error instanceof RangeError ? error.message : `invalid value for ${path}`);
  }
}

/** Matches the names of fields that hold a credential, even if no declaration marks them as secret. */
const secretNamePattern = /token|secret|passw|passphrase|credential|private_?key|api_?key/i;

function rawRequest({ method, path, params }: Operation, input: Input): HttpRequest {
  const query = input['query'] instanceof URLSearchParams ? input['query'] : new URLSearchParams();
  const content = input['body'];
  const body = content === undefined ? undefined : bodyText(content);
  const isSecret = (name: string) => params[name]?.secret === true || secretNamePattern.test(name);
  const maskIfSecret = (name: string, value: string) => (isSecret(name) ? '***' : value);
  const fields: [name: string, value: string][] = [...query];
  // A body that is a string is the text of a file that was checked to be JSON, so it can be parsed here.
  const maskedBody = mapTexts(typeof content === 'string' ? JSON.parse(content) : content, (text, name) => {
    fields.push([name, text]);
    return maskIfSecret(name, text);
  });
  const secretPathParams = Object.entries(input).filter(([name, value]) => typeof value === 'string' && isSecret(name));
  const secretFields = [...secretPathParams, ...fields].filter(([name, value]) => isSecret(name) && value);
  const secrets = secretFields.map(([, value]) => String(value));
  const request = { method, path, query, body, written: fields.map(([, value]) => value) };
  if (secrets.length === 0) return request;
  const maskedQuery = new URLSearchParams();
  for (const [name, value] of query) maskedQuery.append(name, maskIfSecret(name, value));
  const masked = { path: maskSegments(path, secrets), query: maskedQuery, body: body && bodyText(maskedBody) };
  return { ...request, secrets, masked };
}

function bodyText(body: unknown): string {
  return typeof body === 'string' ? body : writeJson(body);
}

function maskSegments(path: string, secrets: readonly string[]): string {
  const secretSegments = secrets.flatMap((secret) => [secret, encodeURIComponent(secret)]);
  const segments = path.split('/').map((segment) => (secretSegments.includes(segment) ? '***' : segment));
  return segments.join('/');
}
