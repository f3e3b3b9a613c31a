import { pathNames } from '../operation.ts';

/**
 * Fills `:names` with percent-encoded values: `fillPath('/a/:x', { x: 'b c' })` is `/a/b%20c`.
 * Values are checked before (cli/input.ts): an id of `.`, `..` or nothing would address another path.
 */
export function fillPath(path: string, values: Readonly<Record<string, unknown>>): string {
  return pathNames(path).reduce((filled, name) => {
    const value = String(values[name] ?? '');
    if (value === '' || value === '.' || value === '..') throw new RangeError(`unusable ${name} "${value}"`);
    return filled.replace(`:${name}`, () => encodeURIComponent(value));
  }, path);
}
