import { expect, it } from 'vitest';
import { openBrowser } from '../../src/auth/browser.ts';

it.each([
  'http://host.example/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'ssh://host.example',
  'https://ann:pw@host.example/',
  `https://host.example/?${'x'.repeat(2048)}`,
])('does not open %s', async (address) => {
  expect(await openBrowser(new URL(address))).toBe(false);
});
