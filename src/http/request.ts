import type { HttpRequest } from '../contract/exchange.ts';
import type { Field, Input } from '../contract/field.ts';
import { fillPath, type Operation, pathNames } from '../contract/operation.ts';
import { writeJson } from '../json/write.ts';
import { Problem } from '../problems/problem.ts';
import { rawRequest } from './raw-request.ts';

/**
 * One operation with its values as a request: `:names` in the path, the rest in the query or as a JSON body.
 * Pure; throws usage for a value that would change the path.
 */
export function toRequest(operation: Operation, input: Input): HttpRequest {
  if (operation.sends === 'raw') return rawRequest(operation, input);
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
    ...shownParts(operation, input),
    ...writtenParts(operation, input),
  };
}

/** Values the service keeps: declared as kept, or added by the operator with `--field`. */
function writtenParts({ params }: Operation, input: Input): Pick<HttpRequest, 'written'> {
  const written = Object.entries(input).flatMap(([name, value]) => {
    const isKept = params[name] === undefined || params[name].kept;
    return isKept && typeof value === 'string' ? [value] : [];
  });
  return written.length === 0 ? {} : { written };
}

/** The same request for the chosen account; operations without a token belong to no account. */
export function withAccount(request: HttpRequest, { scope }: Operation, account: string | undefined): HttpRequest {
  const isOpen = scope === 'none' || request.path.startsWith('/reference/');
  return account === undefined || isOpen ? request : { ...request, account };
}

/** Copies of path and body without secrets, for traces, dry runs and messages. */
function shownParts(operation: Operation, input: Input): Pick<HttpRequest, 'shownPath' | 'shownBody' | 'secrets'> {
  const masked = Object.entries(input).flatMap(([name, value]) => maskedValue(operation.params[name], name, value));
  if (masked.length === 0) return {};
  const names = masked.map(({ name }) => name);
  const open = Object.fromEntries(Object.entries(operation.params).filter(([name]) => !names.includes(name)));
  const hidden = Object.fromEntries(masked.map(({ name, shown }) => [name, shown]));
  const { path, body } = toRequest({ ...operation, params: open }, { ...input, ...hidden });
  return {
    shownPath: path,
    ...(body !== undefined && { shownBody: body }),
    secrets: masked.flatMap(({ secrets }) => secrets),
  };
}

interface MaskedValue {
  readonly name: string;
  /** Shown in place of the value. */
  readonly shown: string;
  readonly secrets: readonly string[];
}

function maskedValue(field: Field | undefined, name: string, value: unknown): readonly MaskedValue[] {
  if (value === undefined) return [];
  if (field?.secret) return [{ name, shown: '***', secrets: field.kept ? [] : [String(value)] }];
  if (!field?.signed) return [];
  const [, start = '', login, place = '', query] =
    /^(\w+:\/\/)?(?:([^/?#]*)@)?([^?]*)(?:\?(.+))?$/s.exec(String(value)) ?? [];
  const secrets = [login, login?.split(':')[1], query].filter((part) => part !== undefined);
  const shown = `${start}${login === undefined ? '' : '***@'}${place}${query === undefined ? '' : '?***'}`;
  return secrets.length === 0 ? [] : [{ name, shown, secrets }];
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
    throw new Problem('usage', error instanceof RangeError ? error.message : `invalid value for ${path}`);
  }
}
