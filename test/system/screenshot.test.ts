import { expect, test } from 'vitest';
import { seedMoment } from '../../src/sandbox/seed/seed.ts';
import { ownEnvironment, skipSleep } from '../support/built.ts';
import { hasProgram } from '../support/programs.ts';
import { startSandbox } from '../support/sandbox.ts';
import { type TypedCommand, terminalSvg } from '../support/svg.ts';
import { screenOf } from '../support/tmux.ts';

const commands = [
  'stackops stack list',
  'stackops variant list -s shop',
  'stackops variant weight va-canary 25 -s shop',
  'stackops deployment list -s shop --limit 4',
  'stackops stack get shpo',
];
const columns = 84;
const hasTmux = hasProgram('tmux');

/** `npm run screenshot` writes it anew. */
test.skipIf(!hasTmux)('docs/screenshot.svg shows what the program prints', async () => {
  const sandbox = await startSandbox({ now: () => seedMoment });
  const env = ownEnvironment({
    ...sandbox.env,
    ...skipSleep,
    CLOCK_MS: String(seedMoment.getTime()),
  });
  const typed: TypedCommand[] = [];
  for (const command of commands) {
    const { code, styled } = await screenOf(command, { columns, rows: 40 }, env);
    expect([command, code]).toEqual([command, command.endsWith('shpo') ? 3 : 0]);
    typed.push({ command, styled });
  }
  await expect(terminalSvg(typed, columns)).toMatchFileSnapshot('../../docs/screenshot.svg');
});
