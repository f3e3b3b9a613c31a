import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mark } from '../support/phrases.ts';
import { reply, startService } from '../support/service.ts';
import { ownFolders, run } from '../support/stackops.ts';
import { transcriptFile } from '../support/transcript.ts';

const shop = '/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
const server = 'c1a7d3e95b2f4860a1b2c3d4e5f60718';

/** What of the service a change is about, the change, and what somebody else makes of it. */
const kinds: readonly (readonly [string, string, string, string])[] = [
  ['variable', `${shop}/environments`, 'stack env unset CURRENCY -s shop -y', 'stack env set CURRENCY=CHF -s shop'],
  [
    'share',
    `${shop}/application_variants`,
    'variant weight va-canary 25 -s shop',
    'variant weight va-canary 40 -s shop',
  ],
  [
    'count',
    `${shop}/processes`,
    'process scale worker=2 web=3 -s shop -y',
    'process scale worker=4 --server shop-web-1 -s shop -y',
  ],
  ['tags', '/tags/loadbalancer/3301', 'tags patch loadbalancer/3301 --add x', 'tags add loadbalancer/3301 y'],
  [
    'setting',
    `${shop}/settings`,
    'stack settings set git.branch=x maintenance.mode=true -s shop -y',
    'stack settings set git.branch=y -s shop',
  ],
  [
    'server setting',
    `${shop}/servers/${server}/settings`,
    'server settings set shop-web-1 disk.space.alert.threshold=77 -s shop',
    'server settings set shop-web-1 disk.space.alert.threshold=78 -s shop',
  ],
  [
    'access',
    '/users/9',
    'user update 9 --set can_payment=true --role shop=Deployer -y',
    'user update 9 --role shop=Developer -y',
  ],
  [
    'gateway',
    '/accounts/42/gateways',
    'gateway update 5 --name edge --address 203.0.113.99',
    'gateway update 5 --address 203.0.113.98',
  ],
];

/** One operator with a journal, and somebody else without. */
function operators(replies?: 'actions') {
  const env = { STACKOPS_SANDBOX: '1', ...ownFolders() };
  let nowMs = Date.parse('2026-05-04T12:00:00Z');
  const play = async (words: string, own: Readonly<Record<string, string>> = {}) => {
    nowMs += 60_000;
    const sandbox = replies ? { replies } : {};
    const slept = (ms: number): void => {
      nowMs += ms;
    };
    const argv = words.split(' ');
    const ran = await run(argv, { env: { ...env, ...own }, now: () => new Date(nowMs), slept, sandbox });
    return { code: ran.code, stdout: ran.stdout, stderr: ran.stderr.replace(mark, '') };
  };
  const state = async (path: string): Promise<readonly string[]> => {
    const { stdout } = await play(`api GET ${path}${path.endsWith('environments') ? ' --paginate' : ''}`);
    const rows: Readonly<Record<string, unknown>>[] = [JSON.parse(stdout)].flatMap((reply) => reply.response ?? reply);
    // What tells when and how often something changed is no part of what it is.
    return rows
      .map(({ id: _, history: __, ...row }) =>
        JSON.stringify(row).replaceAll(/"(upd|cre)ated_\w*":("[^"]*"|null)/g, ''),
      )
      .toSorted();
  };
  const journal = join(env.XDG_STATE_HOME, 'stackops', 'journal-sandbox.jsonl');
  return { play, state, journal, other: (words: string) => play(words, { STACKOPS_JOURNAL: 'off' }) };
}

test.each(kinds.flatMap((kind) => [kind, [...kind, 'actions'] as const]))(
  '%s: what was changed is restored, and what somebody else changed since is not: %s',
  async (kind, path, change, foreign, replies?: 'actions') => {
    const { play, state, other, journal } = operators(replies);
    const first = await state(path);
    expect(await play(`${change} --wait`)).toMatchObject({ code: 0 });
    const changed = await state(path);
    expect(changed).not.toEqual(first);
    const planned = await play('history undo -n');
    expect([planned.code, planned.stderr]).toEqual([0, '']);
    expect(await state(path)).toEqual(changed);
    expect(await play('history undo')).toMatchObject({ code: 2 });
    expect(await play('history undo -y --read-only')).toMatchObject({ code: 5 });
    expect(await state(path)).toEqual(changed);

    expect(await play('history undo -y --wait')).toMatchObject({ code: 0 });
    expect(await state(path)).toEqual(first);
    expect(await play('history undo -y')).toMatchObject({ code: 3 });
    expect(await play('history undo 1 -y')).toMatchObject({ code: 0, stderr: '' });
    // The undo of the undo, then somebody else.
    expect(await play('history undo 2 -y --wait')).toMatchObject({ code: 0 });
    expect(await state(path)).toEqual(changed);
    expect(await play('history undo -y --wait')).toMatchObject({ code: 0 });

    expect(await play(`${change} --wait`)).toMatchObject({ code: 0 });
    await other(`${foreign} --wait`);
    const theirs = await state(path);
    const refused = await play('history undo -y');
    expect(refused).toMatchObject({ code: 6, stdout: '' });
    expect(refused.stderr).toMatch(/^error: change 5 cannot be undone;.*\n {7}\S.* is now \S/);
    expect(await state(path)).toEqual(theirs);
    const values = readFileSync(journal, 'utf8').match(/"kind":"[^"]*"/g);
    expect(new Set(values)).toEqual(new Set([`"kind":"${kind}"`]));
  },
);

test('the newest change is named in the question, and each undo goes one further back', transcriptFile);
test('an undone deletion does not end the way back', transcriptFile);
test('a server is named as it was typed', transcriptFile);

test('the newest change that cannot be undone is refused: no older one is undone unasked', transcriptFile);
test('the newest change of the profile counts, whatever its account; what was not made is no change', transcriptFile);
test('a run over several stacks is undone in all of them, the last first', transcriptFile);
test('what cannot be undone says so, and names the command that comes nearest', transcriptFile);

test.each([
  ['refused', 6],
  ['lost', 11],
])('an undo that was %s is no undo: the same change is still the newest', async (how, code) => {
  const shares: Record<string, number> = { 'va-one': 10, 'va-two': 5 };
  let isRefusing = false;
  const service = await startService(({ method, path, body }, response) => {
    const uid = path.split('/').at(-1) ?? '';
    if (method === 'PUT' && isRefusing) return how === 'lost' ? response.destroy() : reply(response, {}, 400);
    if (method === 'PUT') shares[uid] = (body as { canary_percentage: number }).canary_percentage;
    if (method === 'PUT') return reply(response, { response: { ok: true } });
    const rows = Object.entries(shares).map(([one, percentage], id) => {
      return { uid: one, variant_type: 'canary', percentage, git_hash: 'a', id };
    });
    reply(response, { response: rows });
  });
  const env = { ...ownFolders(), ...service.env, STACKOPS_STACK: '5'.repeat(32) };
  const play = async (words: string) => (await run(words.split(' '), { env })).code;
  expect([await play('variant weight va-one 25'), await play('variant weight va-two 30')]).toEqual([0, 0]);
  isRefusing = true;
  expect(await play('history undo -y')).toBe(code);
  isRefusing = false;
  expect(await play('history undo -y')).toBe(0);
  expect(shares).toEqual({ 'va-one': 25, 'va-two': 5 });
  expect(await play('history undo -y')).toBe(0);
  expect(shares).toEqual({ 'va-one': 10, 'va-two': 5 });
});

test('a protected profile asks for its own name', transcriptFile);

test.each([
  ['a hash of its own', (line: string) => line.replace(/"hash_key":"[^"]+"/, '"hash_key":"none"')],
  ['another value', (line: string) => line.replace('"va-canary","10"', '"va-canary","77"')],
  ['another variant', (line: string) => line.replace('"va-canary","10"', '"va-active","10"')],
  ['another command', (line: string) => line.replace('"variant weight"', '"variant commit"').replace(',"10"]', ']')],
  [
    'one more command',
    (line: string) =>
      line.replace(
        '"undo":[',
        '"undo":[{"path":"server reboot","operands":["shop-web-1"],"stack_id":"5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60"},',
      ),
  ],
  [
    'another service',
    (line: string) =>
      line.replace('"va-canary","10"]', '"va-canary","10"],"flags":["--base-url","https://evil.example"]'),
  ],
  [
    'another stack',
    (line: string) =>
      line.replace(/("undo":\[\{"path":"variant weight","stack_id":)"\w*"/, '$1"a81b6c0d4e2f49738c5d6e7f80912a3b"'),
  ],
])('an undo that somebody else wrote is not done: %s', async (_, forge) => {
  const { play, state, journal } = operators();
  await play('variant weight va-canary 25 -s shop');
  const changed = await state(`${shop}/application_variants`);
  const lines = readFileSync(journal, 'utf8');
  const forged = forge(lines);
  expect(forged).not.toBe(lines);
  writeFileSync(journal, forged);
  const refused = await play('history undo 1 -y');
  expect(refused).toMatchObject({ code: 6, stdout: '' });
  expect(refused.stderr).toMatch(/\nhint: stackops history show 1\n$/);
  expect(await state(`${shop}/application_variants`)).toEqual(changed);
  // Nor is it offered where the value was changed since.
  await play('variant weight va-canary 40 -s shop');
  expect((await play('history undo 1 -y')).stderr).toMatch(/\nhint: stackops history show 1\n$/);
});

test('the journal holds old values that are no secrets, and no new ones', async () => {
  const { play, journal } = operators();
  await play('stack settings set git.repository=https://ci:sesame@git.example/new -s shop --wait');
  await play('stack settings set git.repository=https://git.example/newest -s shop --wait');
  await play('stack env unset CURRENCY SMTP_PASSWORD -s shop -y');
  await play('stack env set LOG_LEVEL=fresh-value -s shop');
  const kept = readFileSync(journal, 'utf8');
  for (const word of ['sesame', 'git.example/new', 'fresh-value']) expect(kept).not.toContain(word);
  expect(kept).toContain('"CURRENCY=EUR"');
  expect(kept).not.toContain('SMTP_PASSWORD=');
  expect(await play('history undo 2 -y')).toMatchObject({
    code: 6,
    stderr: expect.stringContaining('needs the value: git.repository\n'),
  });
});
