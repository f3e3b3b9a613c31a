import { expect, test } from 'vitest';
import { mark } from '../../support/phrases.ts';
import { type RunOptions, run } from '../../support/stackops.ts';

const sequence = '\u001b[';

test.each<readonly [string, RunOptions, readonly string[], boolean]>([
  ['a terminal', { terminal: 80 }, [], true],
  ['a pipe', {}, [], false],
  ['NO_COLOR', { terminal: 80, env: { NO_COLOR: '1' } }, [], false],
  ['an empty NO_COLOR', { terminal: 80, env: { NO_COLOR: '' } }, [], true],
  ['a dumb terminal', { terminal: 80, env: { TERM: 'dumb' } }, [], false],
  ['a terminal without a name', { terminal: 80, env: { TERM: '' } }, [], false],
  ['a terminal in CI', { terminal: 80, env: { CI: 'true' } }, [], false],
  ['FORCE_COLOR in CI', { terminal: 80, env: { CI: 'true', FORCE_COLOR: '1' } }, [], true],
  ['--color never', { terminal: 80 }, ['--color', 'never'], false],
  ['--color always over NO_COLOR', { terminal: 80, env: { NO_COLOR: '1' } }, ['--color', 'always'], true],
  ['--color auto under NO_COLOR', { terminal: 80, env: { NO_COLOR: '1' } }, ['--color', 'auto'], false],
  ['FORCE_COLOR in a pipe, as a table', { env: { FORCE_COLOR: '1' } }, ['--output', 'table'], true],
  ['--color always in a pipe, as data', {}, ['--color', 'always'], false],
])('%s', async (_, { env, ...options }, flags, coloured) => {
  const { code, stdout } = await run(['stack', 'list', ...flags], {
    ...options,
    env: { STACKOPS_SANDBOX: '1', ...env },
  });
  expect([code, stdout.includes(sequence)]).toEqual([0, coloured]);
});

test.each<readonly [string, RunOptions]>([
  ['in CI', { terminal: 80, env: { CI: 'true' } }],
  ['that is dumb', { terminal: 80, env: { TERM: 'dumb' } }],
  ['without a name', { terminal: 80, env: { TERM: '' } }],
  ['of one column', { terminal: 1, env: { NO_COLOR: '1' } }],
])('a terminal %s gets a line for each change, and no escape sequence', async (_, { env, ...options }) => {
  const own = { STACKOPS_SANDBOX: '1', ...env };
  const { stderr, stdout } = await run(['redeploy', '-s', 'shop', '-y', '--wait'], { env: own, ...options });
  expect(stderr).toMatch(
    /^12:00:0\d\s+deployment\s+1042:\s+queued\n(.*\n)*12:00:0\d\s+deployment\s+1042:\s+success\n/m,
  );
  expect(stderr + stdout).not.toContain('\x1b');
});

test('the word of an error is red on a terminal, and the rest is not', async () => {
  const env = { STACKOPS_SANDBOX: '1' };
  const { stderr } = await run(['stack', 'get', 'shpo'], { env, terminal: 80 });
  expect(stderr).toBe(
    `${mark}\u001b[31merror:\u001b[39m stack "shpo" not found; did you mean "shop"?\nhint: stackops stack list\n`,
  );
});

test('the flags of a program colour no error of ours', async () => {
  const { stderr } = await run(['server', 'run', '-s', 'shop', '--sandbox', '--', 'ls', '--color=always']);
  expect(stderr).toMatch(/^error: /m);
  expect(stderr).not.toContain(sequence);
});

test.each<readonly [string, RunOptions, readonly string[], string]>([
  ['a pipe', {}, [], mark],
  ['quiet', {}, ['-q'], ''],
  ['JSON for a program', {}, ['--json'], ''],
  ['JSON for a person', { terminal: 80 }, ['--json'], mark],
])('the mark of the sandbox: %s', async (_, options, flags, mark) => {
  const { stderr } = await run(['stack', 'list', '--sandbox', ...flags], options);
  expect(stderr).toBe(mark);
});
