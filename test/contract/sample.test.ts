import { describe, expect, it } from 'vitest';
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
  text,
} from '../../src/contract/field.ts';
import { record } from '../../src/contract/record.ts';
import {
  acknowledged,
  bare,
  nothing,
  one,
  opaqueReply,
  page,
  rows,
  sampleReply,
  sole,
} from '../../src/contract/reply.ts';

const Thing = record(
  'thing',
  {
    id: integer('Id.'),
    name: text('Name.'),
    live: flag('Live.'),
    start: instant('Start.'),
    end: nullable(instant('End.')),
    kind: oneOf(['small', 'large'], 'Kind.'),
    note: optional(text('Note.')),
    tags: many(text('Tag.'), 'Tags.'),
    outcome: group({ code: integer('Code.'), meaning: text('Meaning.') }, 'Outcome.'),
    counts: map(integer('Count.'), 'Counts.'),
    facts: opaque('Facts.'),
  },
  ['id'],
);
const sample = {
  id: 0,
  name: '',
  live: false,
  start: '',
  end: null,
  kind: 'small',
  note: '',
  tags: [],
  outcome: { code: 0, meaning: '' },
  counts: {},
  facts: '',
};

describe('sampleReply', () => {
  it.each([
    ['one', one(Thing), sample],
    ['sole', sole(Thing), sample],
    ['bare', bare(Thing), sample],
    ['page', page(Thing), []],
    ['rows', rows(Thing), []],
    ['acknowledged', acknowledged, { ok: true, message: '' }],
    ['nothing', nothing, undefined],
    ['opaque', opaqueReply, undefined],
  ])('of %s has its shape', (_, reply, expected) => {
    expect(sampleReply<unknown>(reply)).toEqual(expected);
  });
});
