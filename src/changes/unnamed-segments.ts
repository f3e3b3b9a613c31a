import { everyOperation } from '../resources/index.ts';

/** Segments of a path of `api` that no operation knows, and that are neither its words nor ids: they may be anything. */
export function unnamedSegments(path: string): readonly string[] {
  const known = new Set(everyOperation().flatMap(([, { path: declared }]) => declared.split('/')));
  const isPlain = (segment: string, at: number) =>
    known.has(segment) || /^(\d{1,12}|[0-9a-f]{32})$/.test(segment) || (at === 1 && /^[a-z_]+$/.test(segment));
  return path
    .split('/')
    .filter((segment, at) => !isPlain(segment, at))
    .flatMap((segment) => [segment, decodeURIComponent(segment)]);
}
