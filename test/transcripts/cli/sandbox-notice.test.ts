import { describe, expect, test } from 'vitest';
import { mark } from '../../support/phrases.ts';
import { run, temporaryFolder } from '../../support/stackops.ts';

async function isMarked(words: string, how: readonly string[], env: Readonly<Record<string, string>>) {
  const { stderr } = await run([...words.split(' '), ...how], {
    env: { ...env, HOME: temporaryFolder(), XDG_DATA_HOME: temporaryFolder(), SHELL: '/bin/bash' },
  });
  return stderr.startsWith(mark);
}

describe.each([
  ['--sandbox', ['--sandbox'], {}],
  ['STACKOPS_SANDBOX', [], { STACKOPS_SANDBOX: '1' }],
] as const)('with %s', (_, how, env) => {
  test.each([
    'stack list',
    'variant weight va-canary 25 -s shop',
    'variant weight va-canary 25 -s shop --dry-run',
    'stack use shop',
    'api /accounts',
    'history',
    'history list --open',
    'auth status',
    'auth check',
    'auth token',
    'reference clouds',
    'stack get nope',
  ])('%s tells that nothing is real', async (words) => {
    expect(await isMarked(words, how, env)).toBe(true);
  });

  test.each([
    'completion install -y',
    'completion bash',
    'config set output=json',
    'config list',
    'config path',
    'profile list',
    'profile set stack=shop',
    'profile use work',
    'auth login',
    'auth logout',
    'doctor',
    'commands',
    'sandbox reset',
  ])('%s is about what is real', async (words) => {
    expect(await isMarked(words, how, env)).toBe(false);
  });
});
