import { describe, expect, expectTypeOf, it } from 'vitest';
import { integer, optional, text } from '../../../src/contract/field.ts';
import { type RecordOf, record } from '../../../src/contract/record.ts';

const Variant = record('variant', { uid: text('UID.'), percentage: integer('Share.'), note: optional(text('Note.')) }, [
  'uid',
  'percentage',
]);

describe('record', () => {
  it('names itself, its plural, its fields and its columns', () => {
    expect(Variant).toEqual({
      name: 'variant',
      plural: 'variants',
      fields: { uid: text('UID.'), percentage: integer('Share.'), note: optional(text('Note.')) },
      columns: ['uid', 'percentage'],
      id: 'uid',
    });
  });

  it('takes an irregular plural', () => {
    const entry = record('tag entry', { id: text('Id.') }, ['id'], { plural: 'tag entries' });
    expect(entry).toMatchObject({ plural: 'tag entries' });
  });

  it('yields the type of its values', () => {
    expectTypeOf<RecordOf<typeof Variant>>().toEqualTypeOf<{
      readonly uid: string;
      readonly percentage: number;
      readonly note?: string;
    }>();
  });

  it('refuses a column that is not a field', () => {
    // @ts-expect-error: there is no field `colour`
    record('variant', { uid: text('UID.') }, ['uid', 'colour']);
  });
});
