import fc from 'fast-check';
import { test } from 'vitest';

/** Set by `npm run fuzz`; without it the cases are the same every time. */
const fuzzSeed = process.env['STACKOPS_FUZZ_SEED'];
export const fuzzing = fuzzSeed !== undefined;

/** Marks what `npm run fuzz` runs; properties have it already. */
export const fuzzed = { tags: ['fuzz'] };

const minute = 60_000;
const plans = {
  pure: fuzzing ? { numRuns: 20_000, timeout: 20 * minute } : { numRuns: 200, timeout: 5 * minute },
  json: fuzzing ? { numRuns: 20_000, timeout: 20 * minute } : { numRuns: 50, timeout: minute },
  scenario: fuzzing ? { numRuns: 5000, timeout: 60 * minute } : { numRuns: 300, timeout: 5 * minute },
  slow: fuzzing ? { numRuns: 500, timeout: 60 * minute } : { numRuns: 20, timeout: 5 * minute },
};

/** Halves of pairs are no characters. */
const [firstHalf, halves] = [0xd800, 0x800];

/**
 * Any text. It tries what `fc.string({ unit: 'binary' })` does, which first makes a table of all code points: a second of
 * each process.
 */
export const anyText = fc.string({
  unit: fc.nat({ max: 0x10ffff - halves }).map(
    (index) => String.fromCodePoint(index < firstHalf ? index : index + halves),
    (value) => {
      const [character = ''] = String(value);
      const point = character.codePointAt(0);
      if (point === undefined || character !== value) return -1;
      return point < firstHalf ? point : point - halves;
    },
  ),
});

type Arbitraries<Values extends readonly unknown[]> = { [Index in keyof Values]: fc.Arbitrary<Values[Index]> };

/**
 * A test that holds for all values: `property('any text comes back', [fc.string()], (text) => expect(…))`.
 * `examples` are tried first, always.
 */
export const property = propertyTest(plans.pure);
/** The same for a check that reads JSON of all sizes: `npm test` tries fewer cases, `npm run fuzz` as many. */
export const jsonProperty = propertyTest(plans.json);
/** A property of a whole scenario within this process. */
export const scenarioProperty = propertyTest(plans.scenario);
/** The same for a check in which a process or a server starts: fewer cases. */
export const slowProperty = propertyTest(plans.slow);

function propertyTest({ numRuns, timeout }: typeof plans.pure) {
  return <Values extends [unknown, ...unknown[]]>(
    name: string,
    arbitraries: Arbitraries<Values>,
    check: (...values: Values) => Promise<void> | void,
    examples: Values[] = [],
  ): void => {
    const statement = fc.asyncProperty<Values>(...arbitraries, async (...values) => check(...values));
    test(name, { ...fuzzed, timeout }, () =>
      fc.assert(statement, {
        seed: Number(fuzzSeed ?? 20_260_504),
        numRuns: numRuns + examples.length,
        examples,
        // Ends a long search for the smallest counterexample in time to show the one it has.
        interruptAfterTimeLimit: 0.9 * timeout,
        markInterruptAsFailure: true,
      }),
    );
  };
}
