import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Row } from '../../src/contract/record.ts';
import { answerRequest } from '../../src/sandbox/answer.ts';
import type { State } from '../../src/sandbox/state.ts';
import { readStoredState } from '../../src/sandbox/stored-state.ts';
import { wellKnownTokens } from '../../src/sandbox/tokens.ts';
import { slowProperty } from '../support/property.ts';
import { ownFolders, type Ran, run } from '../support/stackops.ts';

/** An undo line, pasted into a shell at once, must restore what was before its change. */

const shop = '/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
const server = 'c1a7d3e95b2f4860a1b2c3d4e5f60718';

const text = fc.oneof(
  { arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }), weight: 3 },
  {
    arbitrary: fc.string({
      unit: fc.constantFrom(...`ab '"$!\`\\-=,;&|<>*?#%~(){}[]@:/.+\u00e4\u4e2d\u{1f600}`),
      maxLength: 12,
    }),
    weight: 5,
  },
  fc.constantFrom('', ' ', 'a\nb', '\t', '\u202e', ...`- -- -x --help -s = !! $(id) " ' *** ~`.split(' ')),
  fc.integer({ min: 300, max: 4_000 }).map((length) => 'x '.repeat(length)),
);
const number = fc.integer({ min: 0, max: 12 }).map(String);
const flag = fc.constantFrom('true', 'false');
const pair = (keys: readonly string[], value: fc.Arbitrary<string>) =>
  fc.tuple(fc.constantFrom(...keys), value).map(([key, given]) => `${key}=${given}`);
const some = (words: fc.Arbitrary<string>) => fc.array(words, { minLength: 1, maxLength: 3 });
const flagged = (name: string, value: fc.Arbitrary<string>) => fc.option(value.map((given) => `${name}=${given}`));
const given = (words: readonly (string | null)[]) => words.filter((word) => word !== null);

const variables = ['LOG_LEVEL', 'CURRENCY', 'GREETING', 'SMTP_PASSWORD', 'NEW', '-X', "it's", '$A', '!B', '\u00fc'];
const entity = fc.constantFrom('loadbalancer/3301', 'server/shop-web-1', `loadbalancer/3301,server/${server}`);
const tag = fc.oneof(text, fc.constantFrom('web', 'eu', 'nightly', 'a,b'));

/** Commands that change something, most of them. */
const change: fc.Arbitrary<readonly string[]> = fc.oneof(
  some(pair(variables, text)).map((pairs) => ['stack', 'env', 'set', '-s', 'shop', '--', ...pairs]),
  some(fc.constantFrom(...variables)).map((keys) => ['stack', 'env', 'unset', '-s', 'shop', '-y', '--', ...keys]),
  fc.constantFrom(...variables).map((key) => ['stack', 'env', 'rollback', '-s', 'shop', '-y', '--', key]),
  fc
    .tuple(
      some(
        fc.oneof(
          pair(['git.branch', 'asset.prefix', 'git.repository', 'custom.build.command'], text),
          pair(['maintenance.mode', 'continuous.deploy'], flag),
          pair(['db.check.backup.size'], number),
        ),
      ),
      fc.boolean(),
    )
    .map(([pairs, waits]) => [
      'stack',
      'settings',
      'set',
      '-s',
      'shop',
      '-y',
      ...(waits ? ['--wait'] : []),
      '--',
      ...pairs,
    ]),
  fc
    .tuple(some(fc.oneof(pair(['server.name'], text), pair(['disk.space.alert.threshold'], number))), fc.boolean())
    .map(([pairs, waits]) => [
      ...['server', 'settings', 'set', '-s', 'shop', ...(waits ? ['--wait'] : []), '--', server],
      ...pairs,
    ]),
  fc.tuple(entity, some(tag)).map(([at, tags]) => ['tags', 'set', '-s', 'shop', '--', at, ...tags]),
  fc
    .tuple(entity, flagged('--add', tag), flagged('--delete', tag))
    .map(([at, ...flags]) => ['tags', 'patch', '-s', 'shop', ...given(flags), '--', at]),
  fc.constant(['tags', 'clear', '-s', 'shop', 'loadbalancer/3301', '--confirm', 'loadbalancer/3301']),
  fc
    .integer({ min: 0, max: 100 })
    .map((share) => ['variant', 'weight', 'va-canary', String(share), '-s', 'shop', '-y']),
  fc
    .tuple(
      fc.uniqueArray(fc.constantFrom('web', 'worker', 'scheduler'), { minLength: 1 }),
      fc.constantFrom('=0', '=1', '=3', '=+1', '=-1'),
      fc.option(fc.constantFrom('shop-web-1', 'shop-web-2', 'shop-worker-1')),
      fc.boolean(),
    )
    .map(([names, count, only, waits]) => [
      ...['process', 'scale', '-s', 'shop', '-y', ...(only === null ? [] : ['--server', only])],
      ...(waits ? ['--wait'] : []),
      ...names.map((name) => `${name}${count}`),
    ]),
  fc
    .tuple(
      fc.constantFrom('5', '6'),
      flagged('--name', text),
      flagged('--username', text),
      flagged('--address', text),
      flagged('--private-ip', text),
      flagged('--ttl', fc.constantFrom('0', '1h', '7d')),
    )
    .map(([id, ...flags]) => ['gateway', 'update', id, ...given(flags)]),
);

interface Page {
  readonly response: readonly Row[];
  readonly pagination?: { readonly next: number | null };
}

/** All rows of a list. */
type RowsOf = (path: string) => readonly Row[];

/** One sandbox, whose operator says yes. */
function openSandbox() {
  const env = { STACKOPS_SANDBOX: '1', ...ownFolders() };
  let nowMs = Date.parse('2026-05-04T12:00:00Z');
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  const play = async (argv: readonly string[], isTerminal: boolean, own: NodeJS.ProcessEnv = {}): Promise<Ran> => {
    const now = new Date(nowMs);
    const typed = [argv.includes('clear') ? `${argv.find((word) => /^(server|loadbalancer)\//.test(word))}` : 'y'];
    return run(argv, {
      env: { ...env, ...own },
      typed,
      slept: pass,
      now: () => now,
      ...(isTerminal && { terminal: 80 }),
    });
  };
  const file = join(env.XDG_STATE_HOME, 'stackops/sandbox.json');
  const rowsIn = (state: State, path: string): readonly Row[] => {
    const stage = { state, now: new Date(nowMs), speed: 1, storage: '', tokens: wellKnownTokens };
    const rows: Row[] = [];
    for (let page: number | null = 1; page !== null; ) {
      const query = new URLSearchParams({ page: `${page}` });
      const { text } = answerRequest({ method: 'GET', path, query, body: undefined, token: 'sandbox_all' }, stage);
      const { response, pagination }: Page = JSON.parse(text);
      rows.push(...response);
      page = pagination?.next ?? null;
    }
    return rows;
  };
  /** Asks the service itself. */
  const look = <Seen>(read: (rowsOf: RowsOf) => Seen): Promise<Seen> =>
    readStoredState({ file, now: () => new Date(nowMs), warn: () => undefined }, (state) =>
      read((path) => rowsIn(state, path)),
    );
  return { play, pass, look };
}
type Sandbox = ReturnType<typeof openSandbox>;

/** What the changes above could have changed, each by words of the line that tells of it. */
const stateOf = ({ look }: Sandbox): Promise<ReadonlyMap<string, unknown>> => look(stateIn);

function stateIn(get: RowsOf): ReadonlyMap<string, unknown> {
  const state = new Map<string, unknown>();
  const settings = [...get(`${shop}/settings`), ...get(`${shop}/servers/${server}/settings`)];
  for (const { key, value } of [...settings, ...get(`${shop}/environments`)]) state.set(String(key), value);
  for (const at of ['loadbalancer/3301', `server/${server}`]) {
    const tags = get(`/tags/${at}`).flatMap((entry) => entry['tags'] as readonly Row[]);
    state.set(at, tags.map(({ value }) => String(value)).toSorted());
  }
  for (const { uid, percentage } of get(`${shop}/application_variants`)) state.set(String(uid), percentage);
  for (const { name, servers } of get(`${shop}/processes`)) {
    // None is as good as no count.
    const counts = Object.entries(servers as Readonly<Record<string, number>>).filter(([, count]) => count > 0);
    state.set(String(name), counts.toSorted());
  }
  for (const { id, ...row } of get('/accounts/42/gateways')) {
    for (const field of ['name', 'username', 'address', 'private_ip', 'ttl']) state.set(`: ${field} ${id}`, row[field]);
  }
  return state;
}

/** The commands of a line as a shell takes them, each with its arguments. */
function pasted(line: string): readonly (readonly string[])[] {
  const input = `stackops() { printf '%s\\0' "$#" "$@"; }\n${line}\n`;
  const { stdout, stderr, status } = spawnSync('sh', { input, encoding: 'utf8' });
  expect([status, stderr], line).toEqual([0, '']);
  const words = stdout.split('\0').slice(0, -1);
  const commands: string[][] = [];
  while (words.length > 0) {
    const [count] = words.splice(0, 1);
    commands.push(words.splice(0, Number(count)));
  }
  return commands;
}

/** The names of what is not as it was, but for those whose line has said so. */
function lost(before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>, { stdout }: Ran) {
  // The time at which a gateway closes is told without its name.
  const told = stdout.replace(/: (?=open until|closed)/g, ': ttl ');
  const given = told.split('\n').filter((line) => /[(;] ?no undo\b/.test(line));
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return names
    .filter((name) => JSON.stringify(before.get(name)) !== JSON.stringify(after.get(name)))
    .filter((name) => !given.some((line) => line.includes(name.replace(/ \d+$/, ''))));
}

const always: [(readonly string[])[], readonly string[], boolean][] = [
  [[], ['gateway', 'update', '5', '--name=\\<'], false],
  [[], ['stack', 'settings', 'set', 'git.branch=x', '-s', 'shop'], false],
  [[], ['process', 'scale', 'web=3', 'worker=0', '-s', 'shop', '-y'], false],
  [[], ['stack', 'env', 'unset', 'LOG_LEVEL', '-s', 'shop', '-y'], true],
  [[['gateway', 'update', '5', `--username='<`]], ['gateway', 'update', '5', '--username=--help', '--ttl=1h'], false],
];

slowProperty(
  'what a printed undo undoes is as it was',
  [fc.array(change, { maxLength: 2 }), change, fc.boolean()],
  async (earlier, last, isTerminal) => {
    const sandbox = openSandbox();
    for (const argv of earlier) await sandbox.play(argv, isTerminal);
    sandbox.pass(60_000);
    const before = await stateOf(sandbox);
    const ran = await sandbox.play(last, isTerminal);
    const undo = /^undo: (.+)$/m.exec(ran.stderr)?.[1];
    if (undo === undefined) return;
    for (const command of pasted(undo)) {
      const { code, stderr } = await sandbox.play(command, true);
      expect(code, `${undo}\n${stderr}`).toBe(0);
    }
    sandbox.pass(60_000);
    expect(lost(before, await stateOf(sandbox), ran), undo).toEqual([]);
  },
  always,
);

/** The counts of a process are undone each on its own. */
function inPlaces(state: ReadonlyMap<string, unknown>): ReadonlyMap<string, unknown> {
  const parts = [...state].flatMap(([name, value]): [string, unknown][] => {
    const counts = [value].flat().filter((one): one is [string, number] => Array.isArray(one));
    return counts.length > 0 ? counts.map(([where, count]) => [`${name} on ${where}`, count]) : [[name, value]];
  });
  return new Map(parts.filter(([, value]) => value !== undefined));
}

/** Somebody else, whose changes this journal does not know. */
const foreign = { STACKOPS_JOURNAL: 'off' };

slowProperty(
  'changes undone in reverse order give the first state, and what somebody else changed in between stays',
  [fc.array(fc.tuple(change, fc.constantFrom(false, false, true)), { minLength: 1, maxLength: 4 })],
  async (all) => {
    const sandbox = openSandbox();
    const { play, pass } = sandbox;
    const count = async () => (await play(['history', '-q'], false)).stdout.split('\n').length - 1;
    const first = inPlaces(await stateOf(sandbox));
    let state = first;
    const ours: { before: typeof state; after: typeof state }[] = [];
    for (const [argv, isForeign] of all) {
      const before = state;
      await play(argv, true, isForeign ? foreign : {});
      pass(60_000);
      state = inPlaces(await stateOf(sandbox));
      if (!isForeign && (await count()) > ours.length) ours.push({ before, after: state });
    }
    let undone = 0;
    for (const [at, { before, after }] of [...ours.entries()].toReversed()) {
      const { code, stderr } = await play(['history', 'undo', String(at + 1)], true);
      expect([0, 6], stderr).toContain(code);
      pass(60_000);
      const now = inPlaces(await stateOf(sandbox));
      for (const name of new Set([...state.keys(), ...now.keys()])) {
        const [was, is, left, wanted] = [state, now, after, before].map((one) => JSON.stringify(one.get(name)));
        if (was === is) continue;
        expect([code, was, is], name).toEqual([0, left, wanted]);
      }
      state = now;
      if (code === 0) undone += 1;
    }
    if (undone === all.length) expect(Object.fromEntries(state)).toEqual(Object.fromEntries(first));
  },
);

test('a value that is shown as *** is in no undo, neither printed nor kept', async () => {
  const env = { STACKOPS_SANDBOX: '1', ...ownFolders() };
  const veiled = { ...env, STACKOPS_TOKEN: 'canary-1234' };
  await run(['tags', 'set', 'loadbalancer/3301', 'canary-1234'], { env });
  const { stdout, stderr } = await run(['tags', 'set', 'loadbalancer/3301', 'blue'], { env: veiled });
  expect(stdout).toBe('loadbalancer/3301 updated (*** -> blue)\n');
  expect(stderr).not.toContain('undo: ');
  expect((await run(['history', 'show', '2', '--json', '--fields', 'undo'], { env })).stdout).toBe('{"undo":null}\n');
  await run(['tags', 'set', 'loadbalancer/3301', 'canary-1234'], { env });
  await run(['tags', 'clear', 'loadbalancer/3301', '--confirm', 'loadbalancer/3301'], { env });
  expect((await run(['history', 'show', '4'], { env: veiled })).stdout).not.toContain('Undo:');
});
