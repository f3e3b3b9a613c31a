import { type Operation, pathParamNames } from '../../contract/operation.ts';
import { everyOperation } from '../../resources/index.ts';
import type { RequestValues } from './check.ts';

/** An operation that matches a request, with the decoded values of its path. */
export interface Route {
  /** ID of the operation, such as `variants.update`. */
  readonly id: string;
  readonly operation: Operation;
  readonly pathValues: Readonly<Record<string, string>>;
}

const knownRoutes = everyOperation().map(([id, operation]) => {
  const { path } = operation;
  return { id, operation, parts: path.split('/'), paramCount: pathParamNames(path).length };
});

/** Returns the operations for a method and path. Paths without parameters come first: `/accounts/otp` is no account. */
export function findRoutes(method: string, path: string): readonly Route[] {
  const segments = decodeSegments(path);
  if (!segments) return [];
  const matches = knownRoutes.filter(({ parts }) => matchesPath(parts, segments));
  const fewestParams = Math.min(...matches.map(({ paramCount }) => paramCount));
  return matches
    .filter(({ operation, paramCount }) => operation.method === method && paramCount === fewestParams)
    .map(({ id, operation, parts }) => ({ id, operation, pathValues: pathValuesOf(parts, segments) }));
}

/** Picks the route with the most required params, all in `input`; else the fewest: its check names what is missing. */
export function pickRoute(routes: readonly Route[], input: RequestValues): Route | undefined {
  const candidates = routes.toSorted((one, other) => requiredParamsOf(other).length - requiredParamsOf(one).length);
  const isComplete = (route: Route) => requiredParamsOf(route).every((name) => input[name] !== undefined);
  return candidates.find(isComplete) ?? candidates.at(-1);
}

function requiredParamsOf({ operation: { params }, pathValues }: Route): readonly string[] {
  return Object.keys(params).filter((name) => params[name].presence === 'required' && !(name in pathValues));
}

function decodeSegments(path: string): readonly string[] | undefined {
  try {
    return path.split('/').map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function matchesPath(parts: readonly string[], segments: readonly string[]): boolean {
  const isMatch = (part: string, segment = '') => (part.startsWith(':') ? segment !== '' : part === segment);
  return parts.length === segments.length && parts.every((part, index) => isMatch(part, segments[index]));
}

function pathValuesOf(parts: readonly string[], segments: readonly string[]): Route['pathValues'] {
  const pairs = parts.flatMap((part, index) => (part.startsWith(':') ? [[part.slice(1), segments[index] ?? '']] : []));
  return Object.fromEntries(pairs);
}
