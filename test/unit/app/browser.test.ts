import { expect, it } from 'vitest';
import { hasBrowser, openBrowser } from '../../../src/app/login.ts';

it.each([
  'file:///etc/passwd',
  'javascript:alert(1)',
  'ssh://host.example',
  'https://ann:pw@host.example/',
  `https://host.example/?${'x'.repeat(2048)}`,
])('does not open %s', async (address) => {
  expect(await openBrowser(new URL(address))).toBe(false);
});

it.each([
  ['linux; node v24', {}, false],
  ['linux; node v24', { DISPLAY: ':0' }, true],
  ['linux; node v24', { WAYLAND_DISPLAY: 'wayland-0' }, true],
  ['linux; node v24', { WSL_DISTRO_NAME: 'Debian' }, true],
  ['linux; node v24', { DISPLAY: ':0', CI: 'true' }, false],
  ['linux; node v24', { DISPLAY: ':10', SSH_CONNECTION: '203.0.113.1 1 203.0.113.2 22' }, false],
  ['darwin; node v24', {}, true],
  ['darwin; node v24', { SSH_TTY: '/dev/ttys001' }, false],
  ['win32; node v24', {}, true],
])('%s with %j has a browser: %s', (platform, env, expected) => {
  expect(hasBrowser({ platform, env })).toBe(expected);
});
