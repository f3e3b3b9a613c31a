import { expect, test } from 'vitest';
import { isLoopback } from '../../../src/contract/values/text.ts';

test.each([
  ['http://127.0.0.1:1', true],
  ['http://127.1.2.3', true],
  ['http://0x7f.1', true],
  ['http://[::1]:8080', true],
  ['http://localhost', true],
  ['http://localhost.example.com', false],
  ['http://127.0.0.1.example.com', false],
  ['http://10.0.0.1', false],
  ['http://0.0.0.0', false],
])('whether %s names this machine: %s', (address, expected) => {
  expect(isLoopback(new URL(address))).toBe(expected);
});
