import { describe, expect, it } from 'vitest';
import { nearest } from '../../../src/errors/nearest.ts';

const words = ['stack', 'status', 'variant', 'db', 'deployment'];

describe('nearest', () => {
  it.each([
    ['exact', 'stack', 'stack'],
    ['a swap', 'satck', 'stack'],
    ['a missing letter', 'varant', 'variant'],
    ['a letter too many', 'statuss', 'status'],
    ['a wrong letter', 'dc', 'db'],
    ['another case', 'DEPLOYMENT', 'deployment'],
    ['two faults in a long word', 'deplyomnt', 'deployment'],
    ['nothing alike', 'gateway', undefined],
    ['nothing typed', '', undefined],
  ])('%s: "%s" is %s', (_, word, expected) => {
    expect(nearest(word, words)).toBe(expected);
  });

  it('takes the first of two that are equally near', () => {
    expect(nearest('cat', ['bat', 'rat'])).toBe('bat');
  });

  it('finds nothing among nothing', () => {
    expect(nearest('stack', [])).toBeUndefined();
  });
});
