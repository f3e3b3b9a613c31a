import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { faultyService } from '../support/faulty.ts';
import { mark, unchanged } from '../support/phrases.ts';
import { slowProperty } from '../support/property.ts';
import { startSandbox } from '../support/sandbox.ts';
import { ownFolders, run, temporaryFolder } from '../support/stackops.ts';
import { transcript, transcriptFile } from '../support/transcript.ts';

/** The sandbox after `stack env set LOG_LEVEL=debug`: its journal, and the keys of the hashes in it. */
async function changed(days = 0) {
  const env = { STACKOPS_SANDBOX: '1', ...ownFolders() };
  const state = join(env.XDG_STATE_HOME, 'stackops');
  const journal = join(state, 'journal-sandbox.jsonl');
  const keys = join(env.STACKOPS_CONFIG_DIR, 'journal-keys.json');
  const day = (days: number) => () => new Date(Date.parse('2026-05-04T12:00:00Z') + days * 86_400_000);
  const play = async (words: string, days = 0) => {
    const { code, stdout, stderr } = await run(words.split(' '), { env, now: day(days) });
    return { code, stdout, stderr: stderr.replace(mark, '') };
  };
  await play('stack env set LOG_LEVEL=debug -s shop -q', days);
  return { env, state, journal, keys, play, level: async () => (await play('stack env get LOG_LEVEL -s shop')).stdout };
}

/** The refusal of change 1. */
const refusal = (why: string, hint = '') => ({
  code: 6,
  stdout: '',
  stderr: `error: change 1 cannot be undone: ${why}${unchanged}\n${hint}`,
});
const unverified = refusal('its record cannot be verified');

test('a run is undone as a whole, and the undo is a change that can be undone', transcriptFile);
test('what a run created is deleted, and the undo of that creates it again', transcriptFile);
test('a variable that was changed since stays as it is, and so does the rest of the run', transcriptFile);

test('an earlier value with a password in its URL is masked', transcriptFile);
test('a value that was set again is what the change left, and the one before it is restored', transcriptFile);

test('a redeployment that followed is not undone', transcriptFile);

test('a queued change is not undone before it is made', (context) =>
  transcriptFile(context, { sandbox: { replies: 'actions' } }));
test('a change that failed is not undone at all', (context) =>
  transcriptFile(context, { sandbox: { replies: 'actions', failActions: true } }));

test('it acts where the change did, or says how', async () => {
  const sandbox = await startSandbox();
  const folder = temporaryFolder();
  const [address, other] = [sandbox.url.href.replace(/\/$/, ''), 'https://other.example.com/api/3'];
  const config = { profiles: { default: { base_url: other }, work: { base_url: address } } };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config), { mode: 0o600 });
  const env = {
    XDG_STATE_HOME: temporaryFolder(),
    STACKOPS_CONFIG_DIR: folder,
    STACKOPS_TOKEN: sandbox.token,
    STACKOPS_SANDBOX: '0',
  };
  await run(['stack', 'env', 'set', 'LOG_LEVEL=debug', '-s', 'shop', '-q', '-p', 'work'], { env });
  await run(['stack', 'env', 'set', 'CURRENCY=USD', '-s', 'shop', '-q', '--base-url', address], { env });
  await transcript(
    `
    $ stackops history undo 1 -y
    ! error: change 1 was made with profile work at ${address}; nothing was changed
    ! hint: stackops history undo 1 -p work
    = 2
    $ stackops history undo 1 -y -p work
    ! undo: stackops stack env rollback LOG_LEVEL -s shop -p work
    LOG_LEVEL rolled back (debug -> info)
    Running code may see this only after the next deployment.
    $ stackops history undo 2 -y -p work
    ! error: change 2 was made with profile default at ${address}; nothing was changed
    ! hint: stackops history undo 2 --base-url ${address}
    = 2
    $ stackops history undo 2 -y --base-url ${address}
    ! undo: stackops stack env rollback CURRENCY -s shop --base-url ${address}
    CURRENCY rolled back (USD -> EUR)
    Running code may see this only after the next deployment.
  `,
    { env },
  );
  const renamed = { profiles: { default: { base_url: other }, kept: { base_url: address } } };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(renamed), { mode: 0o600 });
  const first = '$ stackops history undo 1 -y\n! error: change 1 was made with profile work at';
  const hint = '! hint: stackops history undo 1 -p kept';
  await transcript(`${first} ${address}; nothing was changed\n${hint}\n= 2`, { env });
  const journal = join(env.XDG_STATE_HOME, 'stackops', 'journal.jsonl');
  const altered = 'https://altered.example.com/api/3';
  writeFileSync(journal, readFileSync(journal, 'utf8').replaceAll(address, altered), { mode: 0o600 });
  await transcript(`${first} ${altered}; nothing was changed\n= 2`, { env });
});

test('it acts for the account that was chosen', transcriptFile);

test.each([
  ['cut', 0, 'sent answered:unknown answered:confirmed'],
  ['refuse', 6, 'sent answered:refused'],
  ['break', 11, 'sent answered:unknown'],
] as const)('an undo that meets a fault of the service: %s', async (mode, exitCode, journal) => {
  const { env, seen } = await faultyService(mode, { passes: 1 });
  const kept = ownFolders();
  await run(['stack', 'env', 'set', 'LOG_LEVEL=debug', '-s', 'shop', '-q'], { env: { ...env, ...kept } });
  const file = join(kept.XDG_STATE_HOME, 'stackops', 'journal.jsonl');
  const made = readFileSync(file, 'utf8');
  const { code } = await run(['history', 'undo', '1', '-y'], { env: { ...env, ...kept } });
  const added = readFileSync(file, 'utf8').slice(made.length).trimEnd().split('\n');
  const events = added.map((line): { event: string; outcome?: string } => JSON.parse(line));
  const states = events.filter(({ event }) => event !== 'undoable');
  expect([code, seen.changes.length]).toEqual([exitCode, 2]);
  expect(states.map(({ event, outcome }) => (outcome ? `${event}:${outcome}` : event)).join(' ')).toBe(journal);
});

test.each([
  ['the file', 'history undo 1 -y', 0o666],
  ['its folder', 'history undo 1 -y', 0o777],
  ['the file', 'history', 0o620],
  ['its folder', 'history', 0o775],
  ['the file', 'stack env set CURRENCY=USD -s shop', 0o666],
  ['its folder', 'stack env set CURRENCY=USD -s shop', 0o777],
  ['its folder', 'stack list', 0o777],
  ['its folder', 'sandbox reset', 0o777],
])('where others could change %s, noticed by %s, no earlier change is undone', async (what, first, mode) => {
  const { env, state, journal, play, level } = await changed();
  const before = readFileSync(journal);
  chmodSync(what === 'the file' ? journal : state, mode);
  const noticed = await play(first, 0.1);
  expect(noticed.stderr).toContain(
    'warning: other users could change files in the state folder: "history undo" no longer undoes earlier changes\n',
  );
  if (first === 'sandbox reset') writeFileSync(journal, before, { mode: 0o600 });
  else expect(await level()).toBe('debug\n');
  // The rights are repaired, and the change stays as it is.
  for (let time = 0; time < 2; time += 1) expect(await play('history undo 1 -y')).toEqual(unverified);

  await play('stack env set GREETING=1 -s shop -q');
  const [last] = JSON.parse((await run(['history', '--json'], { env })).stdout);
  expect(await play(`history undo ${last.number} -y -q`)).toMatchObject({ code: 0, stderr: '' });
});

interface Sent {
  readonly id: string;
  readonly run?: string;
  readonly value: { readonly key: string; readonly before: string | null; readonly after: string | null };
}

test.each<[string, (sent: Sent) => object]>([
  ['a copy in another change', (sent) => ({ ...sent, id: 'b' })],
  ['a copy in another run', (sent) => ({ ...sent, run: 'b' })],
  ['a copy in another stack', (sent) => ({ ...sent, stack: 'a81b6c0d4e2f49738c5d6e7f80912a3b' })],
  ['a copy for another variable', (sent) => ({ ...sent, value: { ...sent.value, key: 'CURRENCY' } })],
  [
    'values in each other’s place',
    ({ value, ...sent }) => {
      return { ...sent, value: { ...value, before: value.after, after: value.before } };
    },
  ],
  ['the removal of the value before', ({ value, ...sent }) => ({ ...sent, value: { ...value, before: null } })],
  ['the removal of the value after', ({ value, ...sent }) => ({ ...sent, value: { ...value, after: null } })],
])('an entry that somebody else wrote is not undone: %s', async (_, forge) => {
  const { journal, play, level } = await changed();
  const [sent = ''] = readFileSync(journal, 'utf8').split('\n');
  const event: Sent = JSON.parse(sent);
  const forged = JSON.stringify(forge(event));
  const first = forged.includes('"run"') ? `${sent.replaceAll(event.id, 'b')}\n` : '';
  writeFileSync(journal, `${first}${forged}\n`);
  const { code, stderr } = await play('history undo 1 -y');
  expect([code, stderr]).toEqual([6, expect.stringContaining('change 1 cannot be undone;')]);
  expect(await level()).toBe('debug\n');
});

test('a change is not undone for another account or profile than it was made for', async () => {
  const { journal, play } = await changed();
  const [sent = ''] = readFileSync(journal, 'utf8').split('\n');
  for (const [forged, flags] of [
    [{ account: '42' }, '-a 42'],
    [{ profile: 'work' }, '-p work'],
  ] as const) {
    if (flags === '-p work') await play('profile set protected=false --profile work');
    writeFileSync(journal, `${JSON.stringify({ ...JSON.parse(sent), ...forged })}\n`);
    expect([flags, await play(`history undo 1 -y ${flags}`)]).toMatchObject([flags, { code: 6 }]);
  }
});

test('hashes have a key of their day, which is deleted after 30 days', async () => {
  const { keys, play } = await changed();
  const stored = (): Readonly<Record<string, string>> => JSON.parse(readFileSync(keys, 'utf8'));
  expect(statSync(keys).mode & 0o777).toBe(0o600);
  expect(stored()).toEqual({ '2026-05-04T12:00:00.000Z': expect.stringMatching(/^[0-9a-f]{64}$/) });
  const [first] = Object.values(stored());
  await play('stack env set CURRENCY=USD -s shop -q', 0.4);
  expect(Object.values(stored())).toEqual([first]);
  expect(await play('history undo 2 -y -q', 29)).toMatchObject({ code: 0 });
  expect(Object.keys(stored())).toEqual(['2026-05-04T12:00:00.000Z', '2026-06-02T12:00:00.000Z']);
  const expired = refusal(
    'the hashes of its values expired after 30 days',
    'hint: stackops stack env history LOG_LEVEL -s shop\n',
  );
  expect(await play('history undo 1 -y', 30)).toEqual(expired);
  await play('stack env set CURRENCY=CHF -s shop -q', 30);
  expect(Object.keys(stored())).toEqual(['2026-06-02T12:00:00.000Z', '2026-06-03T12:00:00.000Z']);
  expect(await play('history undo 1 -y', 30)).toEqual(expired);
  expect(readFileSync(keys, 'utf8')).not.toContain(first);
});

test('a line of more than 1 MiB is shown nowhere, and later changes keep their numbers', async () => {
  const { journal, play } = await changed();
  const sent = readFileSync(journal, 'utf8');
  const long = sent.replace(/"pid":/, `"note":"${'x'.repeat(2 ** 21)}","pid":`).split('\n')[0];
  writeFileSync(journal, `${long}\n${sent}`);
  expect(await play('history list -q')).toMatchObject({ stdout: '2\n' });
});

test('who has the journal and not the keys cannot tell whether a value was guessed', async () => {
  const [one, other] = [await changed(), await changed(0.1)];
  const journal = readFileSync(one.journal);
  copyFileSync(one.journal, other.journal);
  expect(await other.play('history undo 1 -y')).toEqual(unverified);
  copyFileSync(one.keys, other.keys);
  expect(await other.play('history undo 1 -y -q')).toMatchObject({ code: 0, stderr: '' });
  expect(readFileSync(one.journal)).toEqual(journal);
});

test('keys that others could change are not used', async () => {
  const { keys, play } = await changed();
  chmodSync(keys, 0o666);
  const { code, stderr } = await play('history undo 1 -y');
  expect([code, stderr]).toEqual([6, expect.stringContaining(unverified.stderr)]);
  expect(await play('history undo 1 -y')).toEqual(unverified);
});

test('hashes without a key, which older versions wrote, are not compared', async () => {
  const { journal, play } = await changed();
  const lines = readFileSync(journal, 'utf8');
  const value = { key: 'LOG_LEVEL', salt: '00', before: null, after: 'ff' };
  writeFileSync(journal, lines.replace(/"value":\{[^}]*\}/, `"value":${JSON.stringify(value)}`));
  expect(await play('history undo 1 -y')).toEqual(unverified);
  expect(await play('history list -q')).toMatchObject({ stdout: '1\n' });
});

test('without a key a change is recorded all the same, and its undo refused', async () => {
  const { keys, play, journal } = await changed();
  rmSync(keys);
  mkdirSync(keys);
  const { code, stderr } = await play('stack env set LOG_LEVEL=trace CURRENCY=USD -s shop -q');
  expect([code, stderr]).toEqual([0, `warning: "history undo" cannot undo this: cannot use ${keys}: it is a folder\n`]);
  expect(readFileSync(journal, 'utf8').match(/"event":"sent"/g)).toHaveLength(3);
  rmSync(keys, { recursive: true });
  expect((await play('history undo 2 -y')).stderr).toBe(
    [
      `error: change 2 cannot be undone here: its state was not recorded${unchanged}`,
      `hint: stackops stack env set LOG_LEVEL=debug CURRENCY=EUR -s shop\n`,
    ].join('\n'),
  );
});

const value = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: fc.constantFrom(...`a \t\r\n'"$!\`\\-=#\u00e4\u{1f600}`), maxLength: 40 }),
);
const keys = ['LOG_LEVEL', 'CURRENCY', 'GREETING', 'SMTP_PASSWORD', 'NEW', 'NEWER'];
const variables = fc.dictionary(fc.constantFrom(...keys), value, { minKeys: 1 });

slowProperty(
  'what set or import did and history undo undoes is as it was, byte for byte, and no value is in the journal but in an undo',
  [fc.array(variables, { maxLength: 2 }), variables, fc.boolean()],
  async (earlier, last, isImport) => {
    const env = { STACKOPS_SANDBOX: '1', ...ownFolders() };
    let nowMs = Date.parse('2026-05-04T12:00:00Z');
    const play = async (argv: readonly string[], stdin = '') => {
      nowMs += 60_000;
      const now = new Date(nowMs);
      const ran = await run(['--json', ...argv], { env, stdin, now: () => now });
      expect(ran.code, ran.stderr).toBe(0);
      return JSON.parse(ran.stdout);
    };
    const write = (given: Readonly<Record<string, string>>) =>
      isImport
        ? play(
            ['stack', 'env', 'import', '-', '--allow-empty', '--format', 'json', '-y', '-s', 'shop'],
            JSON.stringify(given),
          )
        : play([
            'stack',
            'env',
            'set',
            '--allow-empty',
            '-s',
            'shop',
            '--',
            ...Object.entries(given).map((pair) => pair.join('=')),
          ]);
    const state = async () => {
      const rows: { key: string; value: string }[] = await play(['stack', 'env', 'list', '-s', 'shop']);
      return rows.map(({ key, value: held }) => `${key}=${held}`).toSorted();
    };
    for (const given of earlier) await write(given);
    const before = await state();
    const changes: { change: string }[] = await write(last);
    const runs: { number: number }[] = await play(['history']);
    if (changes.every(({ change }) => change === 'unchanged')) return;
    await play(['history', 'undo', `${runs[0]?.number}`, '-y']);
    expect(await state()).toEqual(before);
    const lines = readFileSync(join(env.XDG_STATE_HOME, 'stackops', 'journal-sandbox.jsonl'), 'utf8').split('\n');
    // The undo of a deletion holds the value that was deleted.
    const journal = lines.filter((line) => !line.includes('"event":"undoable"')).join('\n');
    const long = Object.values(last).filter((one) => one.length > 8);
    expect(long.filter((one) => journal.includes(one) || journal.includes(JSON.stringify(one).slice(1, -1)))).toEqual(
      [],
    );
  },
);
