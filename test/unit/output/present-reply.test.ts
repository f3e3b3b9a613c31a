import { expect, test } from 'vitest';
import { bare, one, opaqueReply, page, type Reply, rows, sole } from '../../../src/contract/reply.ts';
import { presentReply } from '../../../src/output/result.ts';
import { Tag } from '../../../src/resources/tag.ts';

const row = { value: 'web' };

test.each<readonly [Reply, unknown, unknown]>([
  [page(Tag), [row], { kind: 'table', record: Tag, rows: [row] }],
  [rows(Tag), [], { kind: 'table', record: Tag, rows: [] }],
  [one(Tag), row, { kind: 'detail', record: Tag, row }],
  [sole(Tag), row, { kind: 'detail', record: Tag, row }],
  [bare(Tag), row, { kind: 'detail', record: Tag, row }],
  [opaqueReply, { a: 1 }, { kind: 'value', text: '{\n  "a": 1\n}' }],
  [one(Tag), 'odd', { kind: 'value', text: '"odd"' }],
])('%o with %o', (reply, value, presentation) => {
  expect(presentReply(reply, value)).toEqual(presentation);
});
