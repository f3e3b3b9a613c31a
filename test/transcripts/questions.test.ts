import { expect, test } from 'vitest';
import { readTree } from '../../scripts/docs/tree.ts';
import { hostile, startHostileSandbox } from '../support/hostile.ts';
import { run, temporaryFolder } from '../support/stackops.ts';
import { type Write, writes } from '../support/writes.ts';

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

const stack = ['-s', '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60'];
const server = 'server/c1a7d3e95b2f4860a1b2c3d4e5f60718';
/** Those that ask about some inputs only, which the list of all writes does not hold. */
const sometimes: readonly Pick<Write, 'words' | 'env' | 'first'>[] = [
  { words: ['stack', 'settings', 'set', 'maintenance.mode=true', ...stack] },
  { words: ['stack', 'env', 'set', 'MOTTO=Read', '--redeploy', ...stack] },
  { words: ['db', 'user', 'create', 'u', '--to-env', 'K', '-w', '--redeploy', ...stack, '-g', '21'] },
  { words: ['variant', 'weight', 'va-canary', '100', ...stack] },
  { words: ['tags', 'set', server, 'a', '--include-reserved'] },
  { words: ['tags', 'remove', server, `role:web${hostile}`, '--include-reserved'] },
  { words: ['tags', 'patch', server, '--delete', `role:web${hostile}`, '--include-reserved'] },
];
const asking = [
  ...writes.filter(({ words }) => words.some((word) => ['-y', '--confirm'].includes(word))),
  ...sometimes,
];

const isPlayed = (command: string) => asking.some(({ words }) => words.join(' ').startsWith(`${command} `));

test.each(asking.map((one) => [one.words.join(' ').replaceAll(/[^ -~]/g, ''), one] as const))(
  '%s: no name of the service steers the question',
  async (_, { words, env: own, first }) => {
    const service = await startHostileSandbox();
    const env = { STACKOPS_BASE_URL: service.url, STACKOPS_TOKEN: 'sandbox_all', NO_COLOR: '1', ...own };
    if (first) await run([...first, '-q'], { env });
    const { code, stdout, stderr } = await run(unsettled(words), { env, terminal: 200, typed: [''] });
    expect(stderr).toMatch(/\? ((This is final|Its value will not be kept)\. )?(\[y\/N\]|Type .+ to confirm:) error: /);
    expect(code).toBe(1);
    expect(stderr + stdout).not.toMatch(steering);
    expect(stderr.split('\n').filter((line) => line.startsWith('error: '))).toHaveLength(0);
  },
);

test('every command that asks the service and then a person is in that list', async () => {
  const { commands } = await readTree();
  const declared = commands.filter(({ confirmation, operations }) => confirmation !== 'none' && operations.length > 0);
  // The keys of a process are names of servers, which the hostile service spoils on the servers alone: none is found.
  // A spoilt value is not what the change left, so an undo is refused before it asks.
  // Those of servers ask at a real terminal alone; test/system/server-ssh.test.ts and server-run.test.ts have their questions.
  // The questions of `apply` and `pull` hold names of its file alone.
  // So do those of a ramp: test/transcripts/ramp/terminal.test.ts.
  const refused = [
    'process scale',
    'history undo',
    'server ssh',
    'server run',
    'server cp',
    'variant ramp',
    'apply',
    'pull',
  ];
  const played = declared.filter(({ name }) => refused.includes(name) || isPlayed(name));
  expect(played.map(({ name }) => name)).toEqual(declared.map(({ name }) => name));
});

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
  expect(stderr).toMatch(/Type .+ to confirm:/);
  expect(stderr).not.toMatch(steering);
});
