import { type Operation, pathNames } from '../../contract/operation.ts';
import { everyOperation } from '../../resources/index.ts';
import type { RequestValues } from './check.ts';

/** An operation that matches a request, with the decoded values of its path. */
export interface Route {
  /** Such as `variants.update`. */
  readonly id: string;
  readonly operation: Operation;
  readonly pathValues: Readonly<Record<string, string>>;
}

const patterns = everyOperation().map(([id, operation]) => ({ id, operation, parts: operation.path.split('/') }));

/** Every operation for this method and path. Empty: 404. A literal path wins: `/accounts/otp` is no account. */
export function findRoutes(method: string, path: string): readonly Route[] {
  const segments = decodeSegments(path);
  if (!segments) return [];
  const fitting = patterns.filter(({ parts }) => fits(parts, segments));
  const fewest = Math.min(...fitting.map(({ operation }) => pathNames(operation.path).length));
  return fitting
    .filter(({ operation: { method: own, path: pattern } }) => own === method && pathNames(pattern).length === fewest)
    .map(({ id, operation, parts }) => ({ id, operation, pathValues: valuesOf(parts, segments) }));
}

/**
 * Chooses among operations on one path: the one with the most required parameters that are all present. If none is
 * complete, the one with the fewest reports the missing ones.
 */
export function pickRoute(routes: readonly Route[], input: RequestValues): Route | undefined {
  const demanding = routes.toSorted((one, other) => requiredOf(other).length - requiredOf(one).length);
  return demanding.find((route) => requiredOf(route).every((name) => input[name] !== undefined)) ?? demanding.at(-1);
}

function requiredOf({ operation }: Route): readonly string[] {
  const inPath = pathNames(operation.path);
  const names = Object.keys(operation.params);
  return names.filter((name) => operation.params[name]?.presence === 'required' && !inPath.includes(name));
}

function decodeSegments(path: string): readonly string[] | undefined {
  try {
    return path.split('/').map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function fits(parts: readonly string[], segments: readonly string[]): boolean {
  const isMatch = (part: string, segment = '') => (part.startsWith(':') ? segment !== '' : part === segment);
  return parts.length === segments.length && parts.every((part, index) => isMatch(part, segments[index]));
}

function valuesOf(parts: readonly string[], segments: readonly string[]): Readonly<Record<string, string>> {
  const pairs = parts.map((part, index) => [part, segments[index] ?? ''] as const);
  return Object.fromEntries(pairs.flatMap(([part, value]) => (part.startsWith(':') ? [[part.slice(1), value]] : [])));
}
