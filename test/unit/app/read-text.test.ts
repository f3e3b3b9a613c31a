import { expect, test } from 'vitest';
import { readText } from '../../../src/app/read-text.ts';
import type { Host } from '../../../src/cli/host.ts';

test('stdin is read once, and what came in is there for whoever asks again', async () => {
  const said: string[] = [];
  let left = 'hunter2';
  const host = {
    stdinTerminal: true,
    err: { lines: async (lines: readonly string[]) => void said.push(...lines) },
    readStdin: async () => {
      const bytes = Buffer.from(left);
      left = '';
      return bytes;
    },
  } as unknown as Host;
  const read = () => readText('-', host);
  expect([await read(), await read()]).toEqual(['hunter2', 'hunter2']);
  expect(said).toEqual(['reading from the terminal; end with Ctrl-D']);
});
