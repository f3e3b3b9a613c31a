import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  flag,
  group,
  instant,
  integer,
  many,
  map,
  nullable,
  oneOf,
  opaque,
  optional,
  secret,
  text,
  type ValueOf,
  type Values,
} from '../../../src/contract/field.ts';

describe('builders of fields', () => {
  it.each([
    ['text', text('Name.'), { kind: 'text', about: 'Name.', presence: 'required' }],
    [
      'text with extras',
      text('Name.', { label: 'name', maxLength: 9 }),
      { kind: 'text', about: 'Name.', presence: 'required', label: 'name', maxLength: 9 },
    ],
    [
      'integer',
      integer('Share.', { range: [0, 100], unit: 'percent' }),
      { kind: 'integer', about: 'Share.', presence: 'required', range: [0, 100], unit: 'percent' },
    ],
    ['flag', flag('Live.'), { kind: 'flag', about: 'Live.', presence: 'required' }],
    [
      'instant',
      instant('Start.', { aliases: ['begun'] }),
      { kind: 'instant', about: 'Start.', presence: 'required', aliases: ['begun'] },
    ],
    [
      'oneOf',
      oneOf(['a', 'b'], 'Which.'),
      { kind: 'choice', about: 'Which.', presence: 'required', choices: ['a', 'b'] },
    ],
    [
      'many',
      many(flag('One.'), 'All.'),
      { kind: 'many', about: 'All.', presence: 'required', of: { kind: 'flag', about: 'One.', presence: 'required' } },
    ],
    [
      'group',
      group({ code: integer('Code.') }, 'End.'),
      {
        kind: 'group',
        about: 'End.',
        presence: 'required',
        of: { code: { kind: 'integer', about: 'Code.', presence: 'required' } },
      },
    ],
    [
      'map',
      map(integer('Count.'), 'Counts.'),
      {
        kind: 'map',
        about: 'Counts.',
        presence: 'required',
        of: { kind: 'integer', about: 'Count.', presence: 'required' },
      },
    ],
    ['opaque', opaque('Facts.'), { kind: 'opaque', about: 'Facts.', presence: 'required' }],
    ['optional', optional(text('Branch.')), { kind: 'text', about: 'Branch.', presence: 'optional' }],
    ['nullable', nullable(text('End.')), { kind: 'text', about: 'End.', presence: 'required', nullable: true }],
    ['secret', secret(text('Key.')), { kind: 'text', about: 'Key.', presence: 'required', secret: true }],
    [
      'all three',
      optional(nullable(secret(text('Key.')))),
      { kind: 'text', about: 'Key.', presence: 'optional', nullable: true, secret: true },
    ],
  ])('%s is plain data', (_, built, expected) => {
    expect(built).toEqual(expected);
  });

  it('does not change the field it starts from', () => {
    const name = text('Name.');
    optional(secret(nullable(name)));
    expect(name).toEqual({ kind: 'text', about: 'Name.', presence: 'required' });
  });
});

describe('types of fields', () => {
  it('are those of the values', () => {
    const tags = many(text('Tag.'), 'Tags.');
    const counts = map(integer('Count.'), 'Counts.');
    const op = oneOf(['add', 'delete'], 'What to do.');
    const fact = opaque('Fact.');
    expectTypeOf<ValueOf<typeof tags>>().toEqualTypeOf<readonly string[]>();
    expectTypeOf<ValueOf<typeof counts>>().toEqualTypeOf<Readonly<Record<string, number>>>();
    expectTypeOf<ValueOf<typeof op>>().toEqualTypeOf<'add' | 'delete'>();
    expectTypeOf<ValueOf<typeof fact>>().toEqualTypeOf<unknown>();
  });

  it('know what may be missing and what may be null', () => {
    const fields = {
      id: integer('Id.'),
      end: nullable(instant('End.')),
      branch: optional(text('Branch.')),
      by: optional(nullable(secret(text('By.')))),
      outcome: group({ code: integer('Code.'), meaning: optional(text('Meaning.')) }, 'Outcome.'),
    };
    expectTypeOf<Values<typeof fields>>().toEqualTypeOf<{
      readonly id: number;
      readonly end: string | null;
      readonly outcome: { readonly code: number; readonly meaning?: string };
      readonly branch?: string;
      readonly by?: string | null;
    }>();
  });

  it('refuse what cannot be', () => {
    // @ts-expect-error: text has no range
    text('Name.', { range: [0, 1] });
    // @ts-expect-error: a choice needs its words
    oneOf(undefined, 'Which.');
    // @ts-expect-error: a place is one of three
    text('Where.', { target: 'moon' });
    // @ts-expect-error: every field says what it is about
    expect(text()).toMatchObject({ kind: 'text' });
  });
});
