import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fillPath } from '../../../src/contract/operation.ts';
import { property } from '../../support/property.ts';

describe('fillPath', () => {
  it.each([
    ['/accounts', {}, '/accounts'],
    ['/accounts/:id', { id: 42 }, '/accounts/42'],
    ['/a/:x', { x: 'b c' }, '/a/b%20c'],
    ['/a/:x', { x: 'b/c' }, '/a/b%2Fc'],
    ['/a/:x', { x: '../b' }, '/a/..%2Fb'],
    ['/a/:x', { x: 'b?c=d#e' }, '/a/b%3Fc%3Dd%23e'],
    ['/a/:x', { x: '%2e%2e' }, '/a/%252e%252e'],
    ['/a/:x', { x: '$&' }, '/a/%24%26'],
    ['/a/:x', { x: ':y' }, '/a/%3Ay'],
    ['/a/:x', { x: 'naïve ☃' }, '/a/na%C3%AFve%20%E2%98%83'],
    ['/a/:id/b/:id_of', { id: 1, id_of: 2 }, '/a/1/b/2'],
    ['/a/:x', { x: 12345678901234567890n }, '/a/12345678901234567890'],
  ])('%s with %o is %s', (path, values, expected) => {
    expect(fillPath(path, values)).toBe(expected);
  });

  it.each([[''], ['.'], ['..'], [undefined], [null]])('refuses %o, which would address another path', (x) => {
    expect(() => fillPath('/a/:x/b', { x })).toThrow(RangeError);
  });

  const word = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('/', '../x', '%2f', '\\', '?', '#', ':y', '$`'),
  );

  property('never changes the depth of a path, whatever the values', [word, word], (x, y) => {
    fc.pre(![x, y].some((value) => ['', '.', '..'].includes(value)));
    const { pathname, search, hash } = new URL(`http://host${fillPath('/a/:x/b/:y', { x, y })}`);
    const [, a, first = '', b, second = '', ...deeper] = pathname.split('/');
    expect([a, b, deeper, search, hash]).toEqual(['a', 'b', [], '', '']);
    expect([decodeURIComponent(first), decodeURIComponent(second)]).toEqual([x, y]);
  });
});
