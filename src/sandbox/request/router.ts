import { type Operation, pathNames } from '../../contract/operation.ts';
import { everyOperation } from '../../resources/index.ts';
import type { RequestValues } from './check.ts';

/** An operation that matches a request, with the decoded values of its path. */
export interface Route {
  /** ID of the operation, such as `variants.update`. */
  readonly id: string;
  readonly operation: Operation;
  readonly pathValues: Readonly<Record<string, string>>;
}

const routePatterns = everyOperation().map(([id, operation]) => ({ id, operation, parts: operation.path.split('/') }));

/** Returns the operations for a method and path. Paths without parameters come first: `/accounts/otp` is no account. */
export function findRoutes(method: string, path: string): readonly Route[] {
  const segments = decodeSegments(path);
  if (!segments) return [];
  const matches = routePatterns.filter(({ parts }) => matchesPath(parts, segments));
  const fewestParameters = Math.min(...matches.map(({ operation }) => pathNames(operation.path).length));
  return matches
    .filter(({ operation }) => operation.method === method && pathNames(operation.path).length === fewestParameters)
    .map(({ id, operation, parts }) => ({ id, operation, pathValues: pathValuesOf(parts, segments) }));
}

/**
 * Chooses among the operations of one path the operation with the most required parameters that are all in `input`. If
 * every operation lacks a parameter, chooses the operation with the fewest. Its check then reports what is missing.
 */
export function pickRoute(routes: readonly Route[], input: RequestValues): Route | undefined {
  const candidates = routes.toSorted((one, other) => requiredOf(other).length - requiredOf(one).length);
  return candidates.find((route) => requiredOf(route).every((name) => input[name] !== undefined)) ?? candidates.at(-1);
}

function requiredOf({ operation }: Route): readonly string[] {
  const pathParameters = pathNames(operation.path);
  const names = Object.keys(operation.params);
  return names.filter((name) => operation.params[name]?.presence === 'required' && !pathParameters.includes(name));
}

function decodeSegments(path: string): readonly string[] | undefined {
  try {
    return path.split('/').map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function matchesPath(patternParts: readonly string[], segments: readonly string[]): boolean {
  const isPartMatch = (part: string, segment = '') => (part.startsWith(':') ? segment !== '' : part === segment);
  return (
    patternParts.length === segments.length && patternParts.every((part, index) => isPartMatch(part, segments[index]))
  );
}

function pathValuesOf(patternParts: readonly string[], segments: readonly string[]): Readonly<Record<string, string>> {
  const pairs = patternParts.map((part, index) => [part, segments[index] ?? ''] as const);
  return Object.fromEntries(pairs.flatMap(([part, value]) => (part.startsWith(':') ? [[part.slice(1), value]] : [])));
}
