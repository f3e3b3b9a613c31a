import { describe, expect, expectTypeOf, it } from 'vitest';
import { customCommand } from '../../../src/builders/custom-command.ts';
import { integer, optional, text } from '../../../src/contract/field.ts';

describe('script', () => {
  it('has no positionals and no examples unless it names them', () => {
    const run = async () => 1;
    expect(customCommand({ about: 'Count.', params: {}, calls: [], moreEffects: [], run })).toEqual({
      about: 'Count.',
      params: {},
      positionals: [],
      examples: [],
      calls: [],
      moreEffects: [],
      changes: false,
      output: { kind: 'text' },
      wait: 'never',
      targets: { stacks: 'none', inTurn: false, named: [], several: false },
      exits: [],
      confirm: null,
      handler: { kind: 'runs', isRead: false, run },
    });
  });

  it('types its input by its params', () => {
    customCommand({
      about: 'Count.',
      params: { name: text('Name.'), share: optional(integer('Share.')) },
      positionals: ['name'],
      calls: [],
      moreEffects: [],
      run: async (_, input) => {
        expectTypeOf(input).toEqualTypeOf<{ readonly name: string; readonly share?: number }>();
        return input.name;
      },
      present: (value) => ({ kind: 'value', text: value }),
    });
  });

  it('refuses a positional that is not a param', () => {
    const run = async () => 1;
    const spec = { about: 'Count.', params: {}, calls: [], moreEffects: [], run };
    // @ts-expect-error: there is no param `colour`
    expect(() => customCommand({ ...spec, positionals: ['colour'] })).toThrow();
  });
});
