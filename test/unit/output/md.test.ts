import fc from 'fast-check';
import { expect, test } from 'vitest';
import { secret, text } from '../../../src/contract/field.ts';
import { record } from '../../../src/contract/record.ts';
import { rows } from '../../../src/contract/reply.ts';
import { renderResult } from '../../../src/output/render.ts';
import { property } from '../../support/property.ts';
import { inPipe } from './views.ts';

const Note = record('note', { name: text('Name.'), body: text('Body.'), key: secret(text('Key.')) }, [
  'name',
  'body',
  'key',
]);
const md = inPipe({ format: 'md' });

async function table(body: string): Promise<string> {
  const value = [{ name: 'a', body, key: 'hunter2' }];
  const presentation = { kind: 'table', record: Note, rows: value } as const;
  return (await renderResult({ value, reply: rows(Note), presentation }, md)).drawn ?? '';
}

test.each([
  ['a|b', String.raw`a\|b`],
  ['`x` \\ *y*', String.raw`\`x\` \\ \*y\*`],
  ['<img onerror=x> & co', '&lt;img onerror=x&gt; &amp; co'],
  ['[here](x)', String.raw`\[here\](x)`],
  ['see https://evil.example/|x', '`see https://evil.example/\\|x`'],
  ['by @ada for #12', '`by @ada for #12`'],
  ['``@x``', '``` ``@x`` ```'],
  ['two\nlines', String.raw`two\\nlines`],
])('%j stays in its cell', async (body, shown) => {
  expect(await table(body)).toBe(`| NAME | BODY | KEY |\n| --- | --- | --- |\n| a | ${shown} | \\*\\*\\* |`);
});

property('no text breaks out of its cell', [fc.string({ unit: 'binary' })], async (body) => {
  const lines = (await table(body)).split('\n');
  expect(lines).toHaveLength(3);
  expect(lines[2]?.match(/(?<!\\)(?:\\\\)*\|/g)).toHaveLength(4);
});

test('one record and sentences are lists', async () => {
  const row = { name: 'a', body: 'x', key: 'k' };
  const detail = await renderResult({ value: row, presentation: { kind: 'detail', record: Note, row } }, md);
  expect(detail.drawn).toBe('- **Name:** a\n- **Body:** x\n- **Key:** \\*\\*\\*');
  const done = await renderResult(
    { value: {}, presentation: { kind: 'done', lines: ['LOG_LEVEL updated (a -> b)'] } },
    md,
  );
  expect(done.drawn).toBe('- LOG\\_LEVEL updated (a -&gt; b)');
});
