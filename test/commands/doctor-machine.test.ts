import { expect, test } from 'vitest';
import { nodeResult } from '../../src/commands/doctor/machine.ts';

test.each([
  ['20.18.1', 'ok'],
  ['20.19.0', 'ok'],
  ['22.0.0', 'ok'],
  ['25.0.0-nightly', 'ok'],
  ['20.18.0', 'problem'],
  ['20.9.9', 'problem'],
  ['18.20.8', 'problem'],
])('Node %s is %s', (version, state) => {
  expect(nodeResult(`linux; node v${version}`)).toEqual(
    state === 'ok'
      ? { state, found: `Node ${version}`, repair: null }
      : { state, found: `Node ${version} is older than 20.18.1`, repair: 'install Node 20.18.1 or newer' },
  );
});
