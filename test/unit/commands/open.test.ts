import { expect, test } from 'vitest';
import { openCommands } from '../../../src/commands/open/index.ts';
import type { Context, RunHandler } from '../../../src/contract/command.ts';

test('where the browser cannot be started, a note says so and the address is still printed', async () => {
  const notes: string[] = [];
  const context = {
    host: { embedded: () => undefined, hasBrowser: async () => true, openBrowser: async () => false },
    audience: { terminal: true, reveal: false },
    dryRun: false,
    note: (line: string) => notes.push(line),
    call: async () => ({ name: 'shop', environment: 'production', fqdn: 'shop.example' }),
  } as unknown as Context;
  const handler = openCommands['open']?.handler as RunHandler | undefined;
  expect(await handler?.run(context, { stack_id: 'shop' })).toEqual({ url: 'https://shop.example' });
  expect(notes).toEqual(['could not open a browser; open the address yourself']);
});
