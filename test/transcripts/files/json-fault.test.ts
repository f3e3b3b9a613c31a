import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { faultPosition } from '../../../src/files/json-file.ts';
import { property } from '../../support/property.ts';

describe('faultPosition', () => {
  it.each([
    ['', 1, 1],
    ['{', 1, 2],
    ['{"a":1,}', 1, 8],
    ['{"a" 1}', 1, 6],
    ['{a:1}', 1, 2],
    ['[1,]', 1, 4],
    ['[1 2]', 1, 4],
    ['[1}', 1, 3],
    ['{"a":1]', 1, 7],
    ['{\n  "a": tru\n}', 2, 8],
    ['{\n  "token": "s3cret\n}', 2, 12],
    ['{"a":"\u0001"}', 1, 6],
    ['{"a":01}', 1, 6],
    ['{"a":1}\n{', 2, 1],
    ['nul', 1, 1],
  ])('%j breaks at line %i, column %i', (text, line, column) => {
    expect(faultPosition(text)).toEqual({ line, column });
  });

  property('never points before a character that a valid text needs', [fc.json(), fc.nat()], (text, at) => {
    const cut = text.slice(0, at % text.length);
    const isStillJson = (() => {
      try {
        JSON.parse(cut);
        return true;
      } catch {
        return false;
      }
    })();
    if (isStillJson) return;
    const { line, column } = faultPosition(cut);
    expect(line).toBe(1);
    expect(column).toBeLessThanOrEqual(cut.length + 1);
  });
});
