import { expect, test } from 'vitest';
import { syncClockCommand, unsetLine } from '../../../src/errors/cli-error.ts';

test.each([
  [{}, 'unset HTTPS_PROXY'],
  [{ SHELL: '/bin/zsh' }, 'unset HTTPS_PROXY'],
  [{ SHELL: '/usr/local/bin/fish' }, 'set -e HTTPS_PROXY'],
  [{ OS: 'Windows_NT' }, 'Remove-Item Env:HTTPS_PROXY'],
])('with %j a variable is taken away by: %s', (env, line) => {
  expect(unsetLine('HTTPS_PROXY', env)).toBe(line);
});

test.each([
  ['linux; node v20.19.0', 'sudo timedatectl set-ntp true'],
  ['darwin; node v22.0.0', 'sudo sntp -sS time.apple.com'],
  ['win32; node v24.0.0', 'w32tm /resync'],
])('on %s the clock is set by: %s', (platform, line) => {
  expect(syncClockCommand(platform)).toBe(line);
});
