import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { follow } from '../support/built.ts';
import { fuzzing, property, slowProperty } from '../support/property.ts';

describe('the cases of a property', () => {
  const [pure, slow]: [number[], number[]] = [[], []];
  property('are pinned in npm test, and many in npm run fuzz', [fc.nat()], (number) => void pure.push(number));
  slowProperty('are fewer where a process starts, after the examples', [fc.nat()], (number) => void slow.push(number), [
    [7],
  ]);

  afterAll(() => {
    expect([pure.length, slow.length]).toEqual(fuzzing ? [20_000, 501] : [200, 21]);
    if (!fuzzing) expect(slow.slice(0, 4)).toEqual([7, 1190966218, 6, 667454288]);
  });
});

test('npm run fuzz prints its seed, runs the properties alone, and takes a seed to repeat', async () => {
  const words = [process.execPath, 'scripts/fuzz.mjs', 'test/system/fuzz.test.ts', '--project', 'together'];
  const env = { PATH: process.env['PATH'] ?? '', NO_COLOR: '1', STACKOPS_FUZZ_SEED: '12' };
  const { code, stdout } = await follow(words, { env }).ended;
  expect({ code, first: stdout.split('\n')[0] }).toEqual({ code: 0, first: 'seed 12' });
  expect(stdout).toMatch(/Tests +2 passed/);
});
