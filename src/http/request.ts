import type { HttpRequest } from '../contract/exchange.ts';
import { type Operation, pathNames } from '../contract/operation.ts';
import { fillPath } from '../contract/path.ts';
import { writeJson } from '../json/write.ts';
import { Problem } from '../problems/problem.ts';

type Input = Readonly<Record<string, unknown>>;

/**
 * One operation with its values as a request: `:names` in the path, the rest in the query or as a JSON body.
 * Pure; throws usage for a value that would address another path.
 */
export function toRequest(operation: Operation, input: Input): HttpRequest {
  const inPath = pathNames(operation.path);
  const rest = Object.entries(input)
    .filter(([name, value]) => value !== undefined && !inPath.includes(name))
    .map(([name, value]) => [name, operation.params[name]?.commas ? String(value) : value] as const);
  const inBody = sendsBody(operation);
  return {
    method: operation.method,
    path: checkedPath(operation.path, input),
    query: inBody ? new URLSearchParams() : toQuery(rest),
    body: inBody && rest.length > 0 ? toBody(rest) : undefined,
    ...shownPath(operation, input),
  };
}

/** A secret in an address stays out of traces and messages. */
function shownPath({ path, params }: Operation, input: Input): { readonly shownPath?: string } {
  const secrets = pathNames(path).filter((name) => params[name]?.secret);
  if (secrets.length === 0) return {};
  const hidden = Object.fromEntries(secrets.map((name) => [name, '***']));
  return { shownPath: checkedPath(path, { ...input, ...hidden }) };
}

function sendsBody(operation: Operation): boolean {
  if (operation.sends) return operation.sends === 'body';
  return operation.method !== 'GET' && operation.method !== 'DELETE';
}

function toBody(rest: readonly (readonly [string, unknown])[]): string {
  return writeJson(Object.fromEntries(rest), { indent: false, escapeControls: false });
}

function toQuery(rest: readonly (readonly [string, unknown])[]): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of rest) {
    if (Array.isArray(value)) for (const item of value) query.append(`${name}[]`, String(item));
    else query.append(name, String(value));
  }
  return query;
}

function checkedPath(path: string, input: Input): string {
  try {
    return fillPath(path, input);
  } catch (error) {
    throw new Problem('usage', error instanceof RangeError ? error.message : `unusable value for ${path}`);
  }
}
