import type { Method } from '../../contract/operation.ts';
import { CliError } from '../../errors/cli-error.ts';
import { everyOperation } from '../../resources/index.ts';

export type ApiPath = ReturnType<typeof readPath>;

/**
 * The path, percent-encoded, and the query without its `?`. Accepts only paths below the base address: no other host, no
 * `..`. Throws usage.
 */
export function readPath(typed: string) {
  const refuse = (why: string): never => {
    throw new CliError('usage', `unusable path "${typed}": ${why}`, { hint: { path: 'api', flags: ['--list'] } });
  };
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(typed)) refuse('it must be relative to the base address, such as /accounts');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it searches for control characters
  if (/[\u0000-\u001f\u007f\\#]/.test(typed) || !typed.isWellFormed())
    refuse('it must not contain #, \\ or control characters');
  const cut = typed.includes('?') ? typed.indexOf('?') : typed.length;
  const segments = typed.slice(0, cut).replace(/^\//, '').split('/');
  const decoded = segments.map((segment) => decode(segment) ?? refuse('each % must be followed by two hex digits'));
  if (decoded.some((segment) => /^\.\.?$|[/\\]/.test(segment)))
    refuse('it must not contain . or .. segments or encoded slashes');
  return { path: `/${segments.map(encode).join('/')}`, query: typed.slice(cut + 1) };
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
  const [parts, given] = [pattern.split('/'), path.split('/')];
  const fits = parts.every((part, at) => (part.startsWith(':') ? given[at] !== '' : part === given[at]));
  if (!fits || parts.length !== given.length) return undefined;
  const named = parts.flatMap((part, at): [string, string][] =>
    part.startsWith(':') ? [[part.slice(1), given[at] ?? '']] : [],
  );
  return Object.fromEntries(named);
}
