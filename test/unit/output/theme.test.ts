import { expect, test } from 'vitest';
import { colourLevel, loadTheme } from '../../../src/output/table/theme.ts';

test.each([
  ['always', { NO_COLOR: '1', TERM: 'dumb' }, false, 1],
  ['never', { FORCE_COLOR: '1' }, true, 0],
  ['auto', { NO_COLOR: '1', FORCE_COLOR: '1' }, true, 0],
  [undefined, { NO_COLOR: '', TERM: 'xterm' }, true, 1],
  [undefined, { FORCE_COLOR: '1', TERM: 'dumb' }, false, 1],
  [undefined, { CLICOLOR_FORCE: '1' }, false, 1],
  [undefined, { FORCE_COLOR: '0' }, false, 0],
  [undefined, { FORCE_COLOR: '' }, false, 0],
  [undefined, { TERM: 'dumb' }, true, 0],
  [undefined, {}, true, 0],
  [undefined, { OS: 'Windows_NT' }, true, 1],
  [undefined, { TERM: 'xterm' }, true, 1],
  [undefined, { TERM: 'xterm' }, false, 0],
])('flag %s, %o, terminal %s: level %i', (flag, env, isTTY, level) => {
  expect(colourLevel({ flag, env, isTTY })).toBe(level);
});

test('styles are basic colours, and nothing without colour', async () => {
  const [colours, none] = [await loadTheme(true), await loadTheme(false)];
  expect(colours.bad('failed') + colours.heading('ID')).toBe('\x1b[31mfailed\x1b[39m\x1b[1mID\x1b[22m');
  expect(none.bad('failed')).toBe('failed');
});
