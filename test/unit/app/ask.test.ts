import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { askOnTerminal } from '../../../src/app/ask.ts';

/** A question on a terminal with so many columns, and what is shown of it. */
async function asked(question: string, columns: number | undefined): Promise<string> {
  const input = new PassThrough();
  let shown = '';
  const output = Object.assign(new PassThrough(), { columns });
  output.on('data', (part) => {
    shown += part;
  });
  const { signal } = new AbortController();
  const answer = askOnTerminal({ input, output, stopSignal: signal, take: () => undefined }, question);
  const shownFirst = shown;
  input.write('y\n');
  expect(await answer).toBe('y');
  return shownFirst;
}

test.each([
  [24, 'Deploy stack blog/stag,\nshop/production (one\nafter another)? [y/N] '],
  [40, 'Deploy stack blog/stag, shop/production\n(one after another)? [y/N] '],
  [200, 'Deploy stack blog/stag, shop/production (one after another)? [y/N] '],
  [0, 'Deploy stack blog/stag, shop/production (one after another)? [y/N] '],
  [undefined, 'Deploy stack blog/stag, shop/production (one after another)? [y/N] '],
])('on %s columns no word of a question is cut', async (columns, shown) => {
  const question = 'Deploy stack blog/stag, shop/production (one after another)? [y/N] ';
  expect(await asked(question, columns)).toBe(shown);
});

test('at the end of input a new line begins', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const { signal } = new AbortController();
  const answer = askOnTerminal({ input, output, stopSignal: signal, take: () => undefined }, 'Deploy? [y/N] ');
  input.end();
  expect(await answer).toBeUndefined();
  expect(await text(output.end())).toMatch(/^Deploy\? \[y\/N\] .*\n$/s);
});
