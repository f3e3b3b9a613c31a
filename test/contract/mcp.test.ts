import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readTree } from '../../scripts/docs/tree.ts';
import { topLevel } from '../../src/commands/index.ts';
import { toolFor } from '../../src/mcp/admit.ts';
import { preparations, wordsOf } from '../support/examples.ts';
import { slowProperty } from '../support/property.ts';
import { startSandbox } from '../support/sandbox.ts';
import { ownFolders, run } from '../support/stackops.ts';

const { commands } = await readTree();

/** They touch files, programs, settings or secrets, or send any request. */
const never = `auth login, auth token, auth logout, profile use, profile set, profile delete, config set, config unset,
  stack use, stack env get, stack env edit, stack env export, stack env import, stack env run, stack settings get,
  server settings get, server ssh, server run, server cp, variant ramp, backup url, backup download, account otp, open,
  open server, api, history close, completion install, mcp, apply, sandbox start, sandbox reset, sandbox clone,
  sandbox run, sandbox verify`;

test('every command belongs to one tool, or to none', async () => {
  const menus = await Promise.all(topLevel.map(({ load }) => load()));
  const tools = new Map(
    menus.flatMap((menu) => Object.entries(menu)).map(([name, command]) => [name, toolFor(name, command)]),
  );
  expect([...tools.keys()].toSorted()).toEqual(commands.map(({ name }) => name).toSorted());
  expect(never.split(/,\s+/).filter((name) => !tools.has(name) || tools.get(name))).toEqual([]);
  const wrong = commands.filter(({ name, operations, changes_something }) => {
    if (tools.get(name) !== 'read') return tools.get(name) === 'change' && !changes_something;
    return changes_something || operations.some(({ method }) => method !== 'GET');
  });
  expect(wrong).toEqual([]);
});

const changing = commands.filter(({ changes_something }) => changes_something);

test.each(changing)('$name is planned by reads alone, and made as it was planned', async ({ examples }) => {
  const { requests, env } = await startSandbox();
  const own = { ...ownFolders(), ...env };
  const example = examples.find((line) => /^stackops /.test(line) && !/[|<>"$]|--stdin|file/.test(line)) ?? '';
  for (const [pattern, lines] of preparations) {
    if (pattern.test(example)) for (const line of lines) await run(wordsOf(line), { env: own });
  }
  await run(['profile', 'set', 'agents=write', '--confirm', 'default'], { env: own });
  const argv = wordsOf(example).filter((word) => !/^(--json|-n|-y|--yes|--dry-run|--confirm.*)$/.test(word));
  const call = (spec: object) =>
    run(['__call'], {
      env: { ...own, AI_AGENT: 'mcp' },
      stdin: JSON.stringify({ argv, start: {}, stacks: [], reference: 'stackops-1', ...spec }),
    });
  const before = requests.length;
  const { code, stderr } = await call({ tool: 'plan' });
  expect(requests.slice(before).filter(({ method }) => method !== 'GET')).toEqual([]);
  const plan = /^{"plan":(.*)}$/m.exec(stderr)?.[1];
  if (plan === undefined) return expect([0, 2, 5, 6]).toContain(code);
  const made = await call({ tool: 'change', planned: JSON.parse(plan) });
  expect(made.stderr).not.toContain('stale_plan');
  // Some ask for a name, cannot be seen to end while the clocks stand still, or are not offered yet.
  expect([0, 2, 7, 8]).toContain(made.code);
});

const wellFormed = { tool: 'read', argv: ['stack', 'list'], start: {}, stacks: [], reference: '' };
test.each<unknown>([
  'no JSON',
  null,
  {},
  { ...wellFormed, tool: 'other' },
  { ...wellFormed, argv: 'stack list' },
  { ...wellFormed, argv: [null] },
  { ...wellFormed, stacks: 5 },
  { ...wellFormed, start: 7 },
  { ...wellFormed, start: { base_url: 3 } },
  { ...wellFormed, reference: {} },
  { ...wellFormed, confirm: 5 },
  { ...wellFormed, planned: { requests: [1], basis: '' } },
])('%j is no call of the server', async (call) => {
  const stdin = typeof call === 'string' ? call : JSON.stringify(call);
  const { code, stdout, stderr } = await run(['__call'], { env: {}, stdin });
  expect({ code, stdout, stderr }).toEqual({
    code: 2,
    stdout: '',
    stderr: 'error: unknown command "__call"\nhint: stackops --help\n',
  });
});

const flags = commands.flatMap(({ flags, places }) =>
  [...flags, ...places].flatMap((one) => one.flags.match(/--?[a-z-]+/g) ?? []),
);
const words = [
  '-n',
  '-y',
  '-ny',
  '--yes=true',
  '--confirm',
  '-p',
  '--curl',
  '--jq',
  '--',
  '-',
  '@x',
  'shop',
  'A=1',
  '25',
  '1041',
  'va-canary',
  'bastion-1',
  '',
];

slowProperty(
  'no words change the service by read or plan, or end in a fault of the program',
  [
    fc.constantFrom('read', 'plan', 'change'),
    fc.constantFrom(...commands.map(({ name }) => name.split(' '))),
    fc.array(fc.oneof(fc.constantFrom(...flags), fc.constantFrom(...words), fc.string()), { maxLength: 6 }),
  ],
  async (tool, name, more) => {
    const { requests, env } = await startSandbox();
    const folders = { ...ownFolders(), AI_AGENT: 'mcp' };
    // A change without a plan is refused by what it would send.
    const stdin = JSON.stringify({ tool, argv: [...name, ...more], start: {}, stacks: [], reference: '' });
    const { stderr } = await run(['__call'], { env: { ...folders, ...env }, stdin });
    expect(stderr).not.toContain('"internal"');
    expect(requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  },
  [
    ['change', ['stack', 'env', 'set'], ['A=1', '-s', 'shop']],
    ['change', ['redeploy'], ['-s', 'shop']],
  ],
);
