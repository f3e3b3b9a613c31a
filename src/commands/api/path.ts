import type { Method } from '../../contract/operation.ts';
import { CliError } from '../../errors/cli-error.ts';
import { everyOperation } from '../../resources/index.ts';

export type ApiPath = ReturnType<typeof readPath>;

/**
 * The path, percent-encoded, and the query without its `?`. Accepts only paths below the base address: no other host, no
 * `..`. Throws usage.
 */
export function readPath(input: string) {
  const refuse = (why: string): never => {
    throw new CliError('usage', `unusable path "${input}": ${why}`, { hint: { path: 'api', flags: ['--list'] } });
  };
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(input)) refuse('it must be relative to the base address, such as /accounts');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it searches for control characters
  if (/[\u0000-\u001f\u007f\\#]/.test(input) || !input.isWellFormed())
    refuse('it must not contain #, \\ or control characters');
  const cut = input.includes('?') ? input.indexOf('?') : input.length;
  const segments = input.slice(0, cut).replace(/^\//, '').split('/');
  const decoded = segments.map((segment) => decode(segment) ?? refuse('each % must be followed by two hex digits'));
  if (decoded.some((segment) => /^\.\.?$|[/\\]/.test(segment)))
    refuse('it must not contain . or .. segments or encoded slashes');
  return { path: `/${segments.map(encode).join('/')}`, query: input.slice(cut + 1) };
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

function encode(segment: string): string {
  // Encoded characters stay.
  return segment.replace(/[^\w.~!$&'()*+,;=:@%-]+/g, encodeURIComponent);
}

/** The documented operation for a method and path, with the values of its `:names`; the one with fewest names wins. */
export function knownOperation(method: Method, path: string) {
  const found = everyOperation().flatMap(([, operation]) => {
    const values = operation.method === method ? valuesIn(operation.path, path) : undefined;
    return values ? [{ operation, values }] : [];
  });
  const sizeOf = (values: object) => Object.keys(values).length;
  return found.toSorted((one, other) => sizeOf(one.values) - sizeOf(other.values))[0];
}

function valuesIn(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const [parts, segments] = [pattern.split('/'), path.split('/')];
  const fits = parts.every((part, at) => (part.startsWith(':') ? segments[at] !== '' : part === segments[at]));
  if (!fits || parts.length !== segments.length) return undefined;
  const named = parts.flatMap((part, at): [string, string][] =>
    part.startsWith(':') ? [[part.slice(1), segments[at] ?? '']] : [],
  );
  return Object.fromEntries(named);
}
