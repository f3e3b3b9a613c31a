import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { faultyService } from '../support/faulty.ts';
import { slowProperty } from '../support/property.ts';
import { startSandbox } from '../support/sandbox.ts';
import { run, temporaryFolder } from '../support/stackops.ts';
import { transcript } from '../support/transcript.ts';

const uid = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';

test('a run is undone as a whole, and the undo is a change that can be undone', () =>
  transcript(`
    $ stackops stack env set LOG_LEVEL=debug CURRENCY=USD -s shop -q
    +60s
    80$ stackops history undo 1
    < y
    ! ~ LOG_LEVEL  debug -> info
    ! ~ CURRENCY  USD -> EUR
    ! The service may apply each change at once.
    ! Undo change 1 (shop/production, 2 to change)? [y/N]
    ! undo: stackops stack env rollback LOG_LEVEL CURRENCY -s 5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60
    LOG_LEVEL rolled back (debug -> info)
    CURRENCY rolled back (USD -> EUR)
    Running code may see each change at once, or only after the next deployment.
    $ stackops stack env get LOG_LEVEL -s shop
    info
    $ stackops history undo 1 -y
    2 unchanged
    +60s
    $ stackops history undo 2 -y
    ! undo: stackops stack env rollback LOG_LEVEL CURRENCY -s 5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60
    LOG_LEVEL rolled back (info -> debug)
    CURRENCY rolled back (EUR -> USD)
    Running code may see each change at once, or only after the next deployment.
    $ stackops history --columns number,command,outcome
    3⇥history undo 2 -y⇥done
    2⇥history undo 1⇥done
    1⇥stack env set LOG_LEVEL=<value> CURRENCY=<value> -s shop -q⇥done
  `));

test('what a run created is deleted, and no way back is promised', () =>
  transcript(`
    $ stackops stack env set NEW_FLAG=1 LOG_LEVEL=debug -s shop -q
    +60s
    $ stackops history undo 1
    ! error: "history undo" needs -y (no terminal); nothing was changed
    ! hint: stackops history undo 1 -y
    = 2
    80$ stackops history undo 1
    < n
    ! - NEW_FLAG  1
    ! ~ LOG_LEVEL  debug -> info
    ! The service may apply each change at once.
    ! Undo change 1 (shop/production, 1 to change, 1 to delete)? [y/N]
    ! error: cancelled; nothing was changed
    = 1
    $ stackops history undo 1 --dry-run
    - NEW_FLAG  1
    ~ LOG_LEVEL  debug -> info
    The service may apply each change at once.
    $ stackops history undo 1 --dry-run --json
    [{"key":"NEW_FLAG","action":"delete","before":"1","after":null,"reason":null},{"key":"LOG_LEVEL","action":"update","before":"debug","after":"info","reason":null}]
    $ stackops history undo 1 --curl
    curl --fail-with-body -X DELETE -H "Authorization: Bearer $STACKOPS_TOKEN" -H 'Accept: application/json' 'http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/environments/NEW_FLAG'
    curl --fail-with-body -X PUT -H "Authorization: Bearer $STACKOPS_TOKEN" -H 'Accept: application/json' -H 'Content-Type: application/json' --data-binary '{"value":"info"}' 'http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/environments/LOG_LEVEL'
    $ stackops history undo 1 -y --json
    [{"key":"NEW_FLAG","change":"deleted","before":"1","after":null,"action":null,"message":"Environment variable NEW_FLAG deleted.","error":null},{"key":"LOG_LEVEL","change":"rolled_back","before":"debug","after":"info","action":null,"message":null,"error":null}]
    $ stackops history undo 2 -y
    ! error: change 2 includes a deletion, which cannot be undone; nothing was changed
    ! hint: stackops stack env rollback LOG_LEVEL -s 5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60
    = 6
    $ stackops stack env unset CURRENCY -s shop -y -q
    $ stackops history undo 3 -y
    ! error: change 3 includes a deletion, which cannot be undone; nothing was changed
    = 6
  `));

test('a variable that was changed since stays as it is, and so does the rest of the run', () =>
  transcript(`
    $ stackops stack env set LOG_LEVEL=debug CURRENCY=USD NEW_FLAG=1 SMTP_PASSWORD=sesame -s shop -q
    +60s
    $ stackops stack env set LOG_LEVEL=trace SMTP_PASSWORD=mellon -s shop -q
    $ stackops stack env unset NEW_FLAG -s shop -y -q
    $ stackops history undo 1 -y
    ! error: change 1 cannot be undone; nothing was changed
    !        LOG_LEVEL is now trace; the change left debug
    !        SMTP_PASSWORD is now ***; the change left ***
    ! hint: stackops stack env history -s 5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60
    = 6
    $ stackops stack env get CURRENCY -s shop
    USD
    $ stackops history undo 1 -y --json
    ! {"error":{"code":"rejected","message":"change 1 cannot be undone; nothing was changed\\nLOG_LEVEL is now trace; the change left debug\\nSMTP_PASSWORD is now ***; the change left ***","status":null,"hint":"stackops stack env history -s 5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60","exit_code":6,"operation":null,"request_id":null}}
    = 6
    $ stackops stack env set NEW_FLAG=2 -s shop -q
    +60s
    $ stackops stack env set LOG_LEVEL=debug SMTP_PASSWORD=sesame -s shop -q
    $ stackops history undo 1 -y
    ! error: change 1 cannot be undone; nothing was changed
    !        NEW_FLAG is now 2; the change left another value
    ! hint: stackops stack env history NEW_FLAG -s 5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60
    = 6
    $ stackops stack env unset NEW_FLAG LOG_LEVEL -s shop -y -q
    $ stackops history undo 1 -y
    ! error: change 1 cannot be undone; nothing was changed
    !        LOG_LEVEL does not exist now; the change left another value
    ! hint: stackops stack env history LOG_LEVEL -s 5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60
    = 6
  `));

test('an earlier value with a password in its URL is masked', () =>
  transcript(`
    $ stackops stack env set SEARCH_URL=https://shop:sesame@search.example -s shop -q
    +60s
    $ stackops stack env set SEARCH_URL=https://search.example -s shop -q
    $ stackops history undo 1 -y
    ! error: change 1 cannot be undone; nothing was changed
    !        SEARCH_URL is now https://search.example; the change left ***
    ! hint: stackops stack env history SEARCH_URL -s 5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60
    = 6
  `));

test('a value that was set again is what the change left, and the one before it is restored', () =>
  transcript(`
    $ stackops stack env set LOG_LEVEL=debug -s shop -q
    +60s
    $ stackops stack env set LOG_LEVEL=trace -s shop -q
    +60s
    $ stackops stack env set LOG_LEVEL=debug -s shop -q
    +60s
    $ stackops history undo 1 -y
    ! undo: stackops stack env rollback LOG_LEVEL -s 5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60
    LOG_LEVEL rolled back (debug -> info)
    Running code may see this only after the next deployment.
  `));

test('a redeployment that followed is not undone', () =>
  transcript(`
    $ stackops stack env set LOG_LEVEL=debug --redeploy -s shop -q -y
    +60s
    $ stackops history undo 1 -y
    ! warning: change 1 also redeployed the stack; its undo does not
    ! undo: stackops stack env rollback LOG_LEVEL -s 5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60
    LOG_LEVEL rolled back (debug -> info)
    Running code may see this only after the next deployment.
    $ stackops redeploy -s shop -y -q
    $ stackops history undo 3 -y
    ! error: change 3 set no environment variable; nothing was changed
    ! hint: stackops deployment cancel 1043 -s 5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60
    = 6
  `));

test('other changes cannot be compared: the command that undoes them is printed', () =>
  transcript(`
    $ stackops variant weight va-canary 25 -s shop -q
    $ stackops history undo 1 -y
    ! error: change 1 cannot be undone here: its state was not recorded; nothing was changed
    ! hint: stackops variant weight va-canary 10 -s 5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60
    = 6
    $ stackops gateway delete 5 --confirm bastion-1 -q
    $ stackops history undo 2 -y
    ! error: change 2 includes a deletion, which cannot be undone; nothing was changed
    = 6
    $ stackops stack env set MOTTO=Read -s shop,blog/staging -q
    $ stackops history undo 3 -y
    ! error: change 3 is of several stacks, which are undone one by one; nothing was changed
    ! hint: stackops stack env unset MOTTO -s 5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60 && stackops stack env unset MOTTO -s a81b6c0d4e2f49738c5d6e7f80912a3b
    = 6
    $ stackops history undo 9 -y
    ! error: change 9 not found in the journal
    ! hint: stackops history list
    = 3
  `));

test('a queued change is not undone before it is made, and one that failed not at all', async () => {
  await transcript(
    `
    $ stackops stack env set LOG_LEVEL=debug -s shop -q
    $ stackops history undo 1 -y
    ! error: change 1 cannot be undone; nothing was changed
    !        LOG_LEVEL is as it was before, and the change is still queued
    ! hint: stackops stack env history LOG_LEVEL -s 5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60
    = 6
    +60s
    $ stackops history undo 1 -y
    ! undo: stackops action wait 813 -s 5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60 && stackops stack env rollback LOG_LEVEL -s 5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60
    updating LOG_LEVEL (action 813, queued): debug -> info
    Running code may see this only after the next deployment.
    +60s
    $ stackops history --columns number,command,outcome
    2⇥history undo 1 -y⇥queued
    1⇥stack env set LOG_LEVEL=<value> -s shop -q⇥queued
  `,
    {},
    { replies: 'actions' },
  );
  await transcript(
    `
    $ stackops stack env set LOG_LEVEL=debug -s shop --wait -q
    ! error: action 812 failed: Simulated failure.
    = 9
    $ stackops history --columns number,command,outcome
    1⇥stack env set LOG_LEVEL=<value> -s shop --wait -q⇥failed
    $ stackops history show 1 --json --fields outcome,ended
    {"outcome":"failed","ended":"failed"}
    $ stackops history undo 1 -y
    ! error: change 1 set no environment variable; nothing was changed
    = 6
  `,
    {},
    { replies: 'actions', failActions: true },
  );
});

test('it acts where the change did, or says how', async () => {
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.close());
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
    ! undo: stackops stack env rollback LOG_LEVEL -s ${uid} -p work
    LOG_LEVEL rolled back (debug -> info)
    Running code may see this only after the next deployment.
    $ stackops history undo 2 -y -p work
    ! error: change 2 was made with profile default at ${address}; nothing was changed
    ! hint: stackops history undo 2 --base-url ${address}
    = 2
    $ stackops history undo 2 -y --base-url ${address}
    ! undo: stackops stack env rollback CURRENCY -s ${uid} --base-url ${address}
    CURRENCY rolled back (USD -> EUR)
    Running code may see this only after the next deployment.
  `,
    env,
  );
});

test('it acts for the account that was chosen', async () => {
  const account = { STACKOPS_ACCOUNT: '42' };
  const kept = { XDG_STATE_HOME: temporaryFolder() };
  await run(['stack', 'env', 'set', 'LOG_LEVEL=debug', '-s', 'shop', '-q'], {
    env: { ...kept, ...account, STACKOPS_SANDBOX: '1' },
  });
  await transcript(
    `
    $ stackops history undo 1 -y
    ! error: change 1 was made in the sandbox for account 42; nothing was changed
    ! hint: stackops history undo 1 -a 42
    = 2
    $ stackops history undo 1 -y -a 42
    ! undo: stackops stack env rollback LOG_LEVEL -s 5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60 -a 42
    LOG_LEVEL rolled back (debug -> info)
    Running code may see this only after the next deployment.
  `,
    kept,
  );
});

test.each([
  ['cut', 0, 'sent answered:unknown answered:confirmed'],
  ['refuse', 6, 'sent answered:refused'],
  ['break', 11, 'sent answered:unknown'],
] as const)('an undo that meets a fault of the service: %s', async (mode, exitCode, journal) => {
  const { env, direct, seen } = await faultyService(mode);
  const kept = { XDG_STATE_HOME: temporaryFolder() };
  await run(['stack', 'env', 'set', 'LOG_LEVEL=debug', '-s', 'shop', '-q'], { env: { ...direct, ...kept } });
  // The change was made at the address that now fails.
  const file = join(kept.XDG_STATE_HOME, 'stackops', 'journal.jsonl');
  const made = readFileSync(file, 'utf8').replaceAll(
    `${direct['STACKOPS_BASE_URL']}`.replace(/\/$/, ''),
    `${env['STACKOPS_BASE_URL']}`,
  );
  writeFileSync(file, made);
  const { code } = await run(['history', 'undo', '1', '-y'], { env: { ...env, ...kept } });
  const added = readFileSync(file, 'utf8').slice(made.length).trimEnd().split('\n');
  const events = added.map((line): { event: string; outcome?: string } => JSON.parse(line));
  const states = events.filter(({ event }) => event !== 'undoable');
  expect([code, seen.changes.length]).toEqual([exitCode, 1]);
  expect(states.map(({ event, outcome }) => (outcome ? `${event}:${outcome}` : event)).join(' ')).toBe(journal);
});

const value = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: fc.constantFrom(...`a \t\r\n'"$!\`\\-=#\u00e4\u{1f600}`), maxLength: 40 }),
);
const keys = ['LOG_LEVEL', 'CURRENCY', 'GREETING', 'SMTP_PASSWORD', 'NEW', 'NEWER'];
const variables = fc.dictionary(fc.constantFrom(...keys), value, { minKeys: 1 });

slowProperty(
  'what set or import did and history undo undoes is as it was, byte for byte, and no value is in the journal',
  [fc.array(variables, { maxLength: 2 }), variables, fc.boolean()],
  async (earlier, last, isImport) => {
    const env = { STACKOPS_SANDBOX: '1', STACKOPS_CONFIG_DIR: temporaryFolder(), XDG_STATE_HOME: temporaryFolder() };
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
        ? play(['stack', 'env', 'import', '-', '--format', 'json', '-y', '-s', 'shop'], JSON.stringify(given))
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
    const journal = readFileSync(join(env.XDG_STATE_HOME, 'stackops', 'journal-sandbox.jsonl'), 'utf8');
    const long = Object.values(last).filter((one) => one.length > 8);
    expect(long.filter((one) => journal.includes(one) || journal.includes(JSON.stringify(one).slice(1, -1)))).toEqual(
      [],
    );
  },
);
