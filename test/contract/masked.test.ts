import { expect, test } from 'vitest';
import { readTree } from '../../scripts/docs/tree.ts';
import { seedMoment, seedState } from '../../src/sandbox/seed/seed.ts';
import type { StackState, State } from '../../src/sandbox/state.ts';
import { preparations, wordsOf } from '../support/examples.ts';
import { startSandbox } from '../support/sandbox.ts';
import { ownFolders, run } from '../support/stackops.ts';

/**
 * Every command that only reads is run in every form, piped and on a terminal, against a service whose secret fields all
 * hold a marked text. A new command is covered by its examples.
 */
const { commands } = await readTree();
const marked = 'canary-7f3a';
const address = `https://ci:${marked}@git.example/shop`;

/** A service with marks in every secret field, earlier values included. */
function markedState(): State {
  const state = seedState(seedMoment);
  for (const stack of state.stacks) markStack(stack);
  for (const { row, gateways } of state.accounts) {
    row.server_registration_script = `curl https://register.example/${marked}`;
    for (const gateway of gateways) gateway.content = marked;
  }
  for (const { devices } of state.users) for (const device of devices) device.token = marked;
  return state;
}

function markStack(stack: StackState): void {
  stack.row.git = address;
  stack.row.redeploy_hook = `https://hooks.example/${marked}`;
  const at = { created_at: '2025-06-01 10:00:00 UTC', updated_at: '2025-06-02 10:00:00 UTC' };
  const history = [{ key: 1, value: `${marked}-old`, ...at }];
  Object.assign(stack.variables[0] ?? {}, { key: 'API_TOKEN', value: marked, history });
  Object.assign(stack.variables[1] ?? {}, { key: 'GIT_URL', value: address, is_password: false });
  Object.assign(stack.settings[0] ?? {}, { key: 'smtp.password', value: marked });
  for (const { settings } of stack.servers) Object.assign(settings[0] ?? {}, { value: address });
  for (const { users } of stack.groups) for (const user of users) user.password = marked;
}

/** Called for a value, raw access, or a program: each gives secrets and says so in its help. */
const givesSecrets =
  /^(stack env (get|export|run|copy|edit)|stack settings get|server settings get|auth token|account otp|backup url|api|server (ssh|run|cp))$/;
/** Not about the service, or it writes into the working folder. */
const isLocal = /^(backup download|sandbox|completion|profile|config|doctor|commands|history|auth|open)\b/;

const reads = commands.filter(
  ({ name, changes_something, shows }) =>
    !changes_something && shows !== null && !givesSecrets.test(name) && !isLocal.test(name),
);
const forms = [
  '',
  '--json',
  '--output table',
  '--output tsv',
  '--output csv',
  '--output yaml',
  '--output ndjson',
  '--output md',
  '--jq .',
  '-v',
  '-q',
];

test.each(reads)('$name shows no secret in any form', async ({ name, examples }) => {
  const sandbox = await startSandbox({ state: markedState() });
  const env = { ...ownFolders(), ...sandbox.env };
  const example = examples.find((line) => /^stackops /.test(line) && !/[|<>"$]/.test(line)) ?? '';
  for (const [pattern, lines] of preparations) {
    if (pattern.test(example)) for (const line of lines) await run(wordsOf(line), { env });
  }
  const words = wordsOf(example).filter((word) => !/^--(json|watch|exit-code)$/.test(word));
  const more = examples.some((line) => line.includes('--show-password')) ? ['--show-password'] : [];
  for (const form of forms) {
    for (const terminal of [undefined, 200]) {
      const argv = [...words, ...more, ...form.split(' ').filter(Boolean)];
      const { stdout, stderr } = await run(argv, { env, ...(terminal && { terminal }) });
      expect([name, form, `${stdout}${stderr}`.includes(marked)]).toEqual([name, form, false]);
    }
  }
  const before = sandbox.requests.length;
  const stdin = JSON.stringify({ tool: 'read', argv: words, start: {}, stacks: [], reference: '' });
  const { code, stdout, stderr } = await run(['__call'], { env: { ...env, AI_AGENT: 'mcp' }, stdin });
  expect([name, [0, 5, 10].includes(code)]).toEqual([name, true]);
  expect([name, `${stdout}${stderr}`.includes(marked)]).toEqual([name, false]);
  expect(sandbox.requests.slice(before).filter(({ method }) => method !== 'GET')).toEqual([]);
});

test('the marks are there for who asks for them', async () => {
  const { env } = await startSandbox({ state: markedState() });
  const shown = async (line: string) => (await run(line.split(' '), { env })).stdout;
  for (const line of [
    'env list -s shop --json --reveal',
    'env history -s shop --reveal',
    'stack get shop --reveal',
    'stack list --fields git --reveal',
    'stack settings list -s shop --reveal --output csv',
    'gateway list --reveal --json',
    'account get --reveal',
    'user get 7 --reveal --json',
    'db user list -s shop --show-password --reveal',
    'env get API_TOKEN -s shop',
    'env export -s shop',
    'stack settings get smtp.password -s shop',
    'api /stacks/{stack}/environments -s shop',
  ]) {
    expect([line, await shown(line)]).toEqual([line, expect.stringContaining(marked)]);
  }
});

test('earlier values stay masked where a command is called for the present one', async () => {
  const { env } = await startSandbox({ state: markedState() });
  const { stdout } = await run(['env', 'get', 'API_TOKEN', '-s', 'shop', '--json'], { env });
  const { value, history, masked } = JSON.parse(stdout);
  expect([value, history[0].value, masked]).toEqual([marked, '***', ['history.value']]);
});
