import { expect, test } from 'vitest';
import { ownEnvironment } from './support/built.ts';
import { openTerminal } from './support/terminal.ts';

test('what is said about a list stands below it', async () => {
  const env = ownEnvironment({ STACKOPS_SANDBOX: '1', STACKOPS_TOKEN: '', NO_COLOR: '1' });
  const { code, screen } = await openTerminal('stackops reference clouds --limit 1 --columns id', env).ended;
  expect(code).toBe(0);
  expect(screen.replaceAll('\r', '').split('\n')).toEqual([
    'sandbox: nothing here is real',
    'ID',
    't3.small',
    '1 of 32 cloud facts.',
    '',
  ]);
});
