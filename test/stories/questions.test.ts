import { expect, test } from 'vitest';
import { startHostileSandbox } from '../support/hostile.ts';
import { run, temporaryFolder } from '../support/stackops.ts';
import { writes } from '../support/writes.ts';

/** By code point: what a question may not hold. */
const steering = /[\0-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]/;
/** Things that are found by a name are found by their id where every name is spoilt. */
const ids: Readonly<Record<string, string>> = {
  shop_events: 'db5a2',
  app: 'du7c2',
  analytics: 'du7c3',
  'prod-eu': '9c1e4b7a2d5f48309a1b2c3d4e5f6071',
};

/** The words without what settles the question beforehand. */
function unsettled(words: readonly string[]): readonly string[] {
  const named = words.filter((word, at) => !['-y', '--confirm'].includes(word) && words[at - 1] !== '--confirm');
  return named.map((word) => ids[word] ?? word);
}

const asking = writes.filter(({ words }) => words.some((word) => ['-y', '--confirm'].includes(word)));

test.each(asking.map((one) => [one.words.join(' '), one] as const))(
  '%s: no name of the service steers the question',
  async (_, { words, first }) => {
    const service = await startHostileSandbox();
    const env = { STACKOPS_BASE_URL: service.url, STACKOPS_TOKEN: 'sandbox_all', NO_COLOR: '1' };
    if (first) await run([...first, '-q'], { env });
    const { code, stdout, stderr } = await run(unsettled(words), { env, terminal: 200, typed: [''] });
    expect(stderr).toMatch(/\? (\[y\/N\]|Type .+ to go ahead:) error: /);
    expect(code).toBe(1);
    expect(stderr + stdout).not.toMatch(steering);
    expect(stderr.split('\n').filter((line) => line.startsWith('error: '))).toHaveLength(0);
  },
);

test('the question of a protected profile, too', async () => {
  const service = await startHostileSandbox();
  const env = {
    STACKOPS_BASE_URL: service.url,
    STACKOPS_TOKEN: 'sandbox_all',
    NO_COLOR: '1',
    STACKOPS_CONFIG_DIR: temporaryFolder(),
  };
  await run(['profile', 'set', 'protected=true'], { env });
  const words = ['variant', 'weight', 'va-canary', '25', '-s', '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60'];
  const { stderr } = await run(words, { env, terminal: 200, typed: [''] });
  expect(stderr).toMatch(/Type .+ to go ahead:/);
  expect(stderr).not.toMatch(steering);
});
