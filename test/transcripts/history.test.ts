import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/server/server.ts';
import { reply, startService } from '../support/service.ts';
import { run, temporaryFolder } from '../support/stackops.ts';
import { transcript, transcriptFile } from '../support/transcript.ts';

type Words = Readonly<Record<string, string>>;
const stack = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
const check = { path: 'variant list', stack_id: stack };

const weight = {
  event: 'sent',
  id: 'a',
  at: '2026-05-04T11:00:00.000Z',
  profile: 'sandbox',
  stack,
  command: ['variant', 'weight', 'va-canary', '25', '-s', 'my shop'],
  operation: 'PUT /stacks/:stack_id/application_variants/:id',
  method: 'PUT',
  path: `/stacks/${stack}/application_variants/va-canary`,
  check,
  pid: 4711,
};
const weighed = {
  event: 'answered',
  id: 'a',
  at: '2026-05-04T11:00:01.000Z',
  outcome: 'done',
  status: 200,
  exit_code: 0,
  reference: 'action 812',
};
const undoable = {
  ...weighed,
  event: 'undoable',
  undo: [{ path: 'variant weight', operands: ['va-canary', '0'], stack_id: stack }],
};
const { stack: _stack, ...gateway } = {
  ...weight,
  id: 'b',
  at: '2026-05-04T11:30:00.000Z',
  command: ['gateway', 'create', '--name', 'edge'],
  operation: 'POST /accounts/:account_id/gateways',
  method: 'POST',
  path: '/accounts/12/gateways',
  check: { path: 'gateway list', account_id: 12 },
};
const set = { ...weight, id: 'c', at: '2026-05-04T11:40:00.000Z', command: ['stack', 'env', 'set', 'A=<value>'] };
const lost = { event: 'answered', id: 'c', at: '2026-05-04T11:40:30.000Z', outcome: 'unknown', exit_code: 11 };
const seen = { event: 'ended', id: 'a', at: '2026-05-04T11:05:00.000Z', outcome: 'failed' };

/** A state folder that holds a journal with these lines. */
function journalOf(lines: readonly object[], name = 'journal-sandbox.jsonl'): Words {
  const state = temporaryFolder();
  mkdirSync(join(state, 'stackops'));
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  writeFileSync(join(state, 'stackops', name), text, { mode: 0o600 });
  return { XDG_STATE_HOME: state };
}

let env: Words = {};
beforeEach(() => {
  env = journalOf([weight, weighed, gateway, set, lost, seen, undoable]);
});

test('changes are listed newest first, by the group as by its list', (context) => transcriptFile(context, { env }));

test('those that are open are told apart, wherever the flag stands', (context) => transcriptFile(context, { env }));

test('a change of which all is known is closed by hand', (context) => transcriptFile(context, { env }));

test('one change is shown with the commands that check and undo it', (context) => transcriptFile(context, { env }));

test('the commands of a change act where the change did', async (context) => {
  const [address, other] = ['https://stacks.example.com/api/3', 'https://other.example.com/api/3'];
  const undo = [
    { path: 'tags set', operands: ['server/a', 'b && c'] },
    { path: 'tags clear', operands: ['server/b'] },
  ];
  const made = { profile: 'work', address };
  const real = journalOf(
    [
      { ...weight, ...made },
      weighed,
      { ...undoable, undo },
      { ...gateway, profile: 'default', address },
      { ...gateway, id: 'e', ...made, address: other },
      { ...gateway, id: 'f', ...made, profile: 'gone' },
    ],
    'journal.jsonl',
  );
  const folder = temporaryFolder();
  const config = { profiles: { default: { base_url: other }, work: { base_url: `${address}/` } } };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config), { mode: 0o600 });
  await transcriptFile(context, { env: { ...real, STACKOPS_CONFIG_DIR: folder, STACKOPS_SANDBOX: '0' } });
  await transcript(
    `
    $ stackops history show 2 --json --fields check --sandbox
    {"check":"stackops gateway list -a 12 --sandbox"}
  `,
    { env: { ...env, STACKOPS_SANDBOX: '' } },
  );
});

test.each([
  ['--base-url', (url: string) => ({ flags: ['--base-url', url], env: {} })],
  ['STACKOPS_BASE_URL', (url: string) => ({ flags: [], env: { STACKOPS_BASE_URL: url } })],
])('commands of a change made with %s are shown only where its address is given', async (_, given) => {
  const sandbox = await startSandbox({ now: () => new Date('2026-05-04T12:00:00Z') });
  const kept = { XDG_STATE_HOME: temporaryFolder(), STACKOPS_TOKEN: sandbox.token };
  const address = sandbox.url.href.replace(/\/$/, '');
  const { flags, env: more } = given(address);
  await run(['stack', 'env', 'set', 'A=1', '-s', 'shop', ...flags], { env: { ...kept, ...more } });
  const show = ['history', '--json', '--fields', 'address,check,undo'];
  const elsewhere = await run(show, { env: kept });
  const there = await run([...show, ...flags], { env: { ...kept, ...more } });
  // The journal alone may be forged, and a command would send the token to its address.
  expect(JSON.parse(elsewhere.stdout)).toEqual([{ address, check: null, undo: null }]);
  const place = ['-s', stack, ...flags].join(' ');
  const [check, undo] = [`stackops stack env list ${place}`, `stackops stack env unset A ${place}`];
  expect(JSON.parse(there.stdout)).toEqual([{ address, check, undo }]);
});

test.each([
  [8, {}],
  [9, { finished_at: '2026-05-04T12:00:00Z', outcome: { code: 2, meaning: 'failed' } }],
  [4, 401],
  [7, 503],
])('a wait that ended with %d is kept with that exit code', async (code, shown) => {
  let sent = false;
  const service = await startService(({ method, path }, response) => {
    if (method === 'POST') sent = true;
    if (method === 'POST') return reply(response, { response: { id: 7, queued: true } });
    if (sent && typeof shown === 'number') return reply(response, { error: 'x' }, shown);
    const row = { id: 7, started_at: '2026-05-04T11:59:00Z', finished_at: null, git_hash: null, is_live: false };
    const pending = { ...row, outcome: { code: null, meaning: 'pending' }, ...Object(shown) };
    if (path.endsWith('deployments')) return reply(response, { response: sent ? [pending] : [] });
    reply(response, { response: sent ? pending : {} });
  });
  const kept = { XDG_STATE_HOME: temporaryFolder(), ...service.env };
  const ran = await run(['redeploy', '-s', stack, '-y', '--wait', '--wait-timeout', '1h'], {
    env: { ...kept, STACKOPS_RETRIES: '0' },
  });
  const { stdout } = await run(['history', 'list', '--json', '--fields', 'exit_code'], { env: kept });
  expect([ran.code, JSON.parse(stdout)]).toEqual([code, [{ exit_code: code }]]);
});

test('a run is one row, with its changes and what undoes it, unless that holds a secret', (context) =>
  transcriptFile(context, { env: { XDG_STATE_HOME: temporaryFolder() } }));

test('lines that are torn or foreign are passed over', async () => {
  const torn = journalOf([weight, { event: 'started' }, ['x'], weighed, gateway]);
  await transcript(
    `
    $ stackops history --columns number,outcome
    2⇥unanswered
    1⇥done
  `,
    { env: torn },
  );
});

test('a journal that is no file of ours is said to be none', async () => {
  const state = temporaryFolder();
  const file = join(state, 'stackops', 'journal-sandbox.jsonl');
  mkdirSync(file, { recursive: true });
  await transcript(
    `
    $ stackops history
    ! error: cannot use ${file}: it is a folder
    ! hint: correct the file, or move it away: mv ${file} ${file}.bad
    = 2
  `,
    { env: { XDG_STATE_HOME: state } },
  );
});

test('a group that is also a command answers to mistakes as both', (context) => transcriptFile(context, { env }));

test('its help shows both', async () => {
  const { stdout } = await run(['history', '--help']);
  expect(stdout.split('\n\n').slice(0, 5)).toEqual([
    'List the changes made from this machine, newest first.',
    'Usage: stackops history [flags]',
    `Commands:
  list   List the changes made from this machine, newest first.
  show   Show one change and the commands that check and undo it.
  close  Close an open change that you have checked.
  undo   Undo a change, unless the same was changed again since.`,
    'Flags:\n  --open  Only changes with an unknown outcome.',
    'Examples:\n  stackops history --limit 20\n  stackops history --open',
  ]);
  expect((await run(['help', 'history'])).stdout).toBe(stdout);
  const { stdout: list } = await run(['history', 'list', '--help']);
  expect(list).toContain('Usage: stackops history list [flags]\n\nFlags:');
});

describe('a long journal', () => {
  it('lists its last ones by their numbers', async () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => [
      { ...weight, id: `id-${index}` },
      { ...weighed, id: `id-${index}`, reference: `action ${index}` },
    ]).flat();
    const sandbox = { ...journalOf(lines), STACKOPS_SANDBOX: '1' };
    const { stdout } = await run(['history', '--limit', '20', '--columns', 'number,reference'], { env: sandbox });
    const expected = Array.from({ length: 20 }, (_, index) => `${20_000 - index}\taction ${19_999 - index}\n`);
    expect(stdout).toBe(expected.join(''));
    const shown = await run(['history', 'show', '3', '--json', '--fields', 'number,reference'], { env: sandbox });
    expect(shown.stdout).toBe('{"number":3,"reference":"action 2"}\n');
  });
});
