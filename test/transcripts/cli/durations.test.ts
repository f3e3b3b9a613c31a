import { expect, test } from 'vitest';
import { documentedCommands } from '../../../scripts/docs/tree.ts';
import { flagsOf } from '../../../src/cli/arguments/arguments.ts';
import { globalOptions } from '../../../src/cli/arguments/options.ts';
import { run } from '../../support/stackops.ts';
import { transcript } from '../../support/transcript.ts';

const menus = await Promise.all(documentedCommands.map(({ load }) => load()));
const timed = menus
  .flatMap((menu) => Object.entries(menu))
  .flatMap(([words, command]) =>
    flagsOf(command)
      .filter(({ field }) => field.unit === 'seconds' || field.unit === 'ms')
      .map(({ long }) => [words, long] as const),
  );

/** What these cannot do without. */
const beside: Readonly<Record<string, readonly string[]>> = {
  'gateway create': ['--name', 'x'],
  'gateway update': ['bastion-1'],
};

test('every duration of every command needs its unit, and shows what was probably meant', async () => {
  for (const [words, long] of timed) {
    const place = /gateway|sandbox/.test(words) ? [] : ['-s', 'shop'];
    const watch = long === '--every' ? ['--watch'] : [];
    // A sandbox that is served goes on, so its hint is not tried.
    const env = words === 'sandbox start' ? {} : { STACKOPS_SANDBOX: '1' };
    const line = [...words.split(' '), long, '30', ...watch, ...place, ...(beside[words] ?? [])];
    const { code, stderr } = await run(line, { env });
    expect({ words, long, code }).toEqual({ words, long, code: 2 });
    expect(stderr).toContain(`error: ${long} must be a duration such as `);
    expect(stderr).toMatch(new RegExp(`hint: .*${long} 30(h|s|ms)`));
  }
  expect(timed.length).toBeGreaterThan(6);
});

test('so do those of all commands and of settings', () =>
  transcript(`
    $ stackops redeploy -s shop -y --wait --wait-timeout 30
    ! error: --wait-timeout must be a duration such as 90s, 5m, 8h or 7d, not "30"
    ! hint: stackops redeploy -s shop -y -w --wait-timeout 30s
    = 2
    $ stackops redeploy -s shop -y --wait --poll '5 sec'
    ! error: --poll must be a duration such as 90s, 5m, 8h or 7d, not "5 sec"
    ! hint: stackops redeploy -s shop -y -w --poll 5s
    = 2
    $ stackops redeploy -s shop -y --wait --wait-timeout 8d
    ! error: --wait-timeout must be between 1ms and 7d, not "8d"
    = 2
    $ stackops gateway update 5 --ttl 5
    ! error: --ttl must be a duration such as 90s, 5m, 8h or 7d, not "5"
    ! hint: stackops gateway update 5 --ttl 5h
    = 2
    $ stackops stack list --timeout 30
    ! error: --timeout must be a duration such as 90s, 5m or 2h, not "30"
    ! hint: write 30s
    = 2
    $ STACKOPS_TIMEOUT=1w stackops stack list
    ! error: STACKOPS_TIMEOUT must be a duration such as 90s, 5m or 2h, not "1w"
    ! hint: write 7d
    = 2
    $ stackops config set timeout=30
    ! error: timeout must be a duration such as 90s, 5m or 2h, not "30"
    ! hint: write 30s
    = 2
    $ stackops activity -s shop --since 1w
    ! error: --since must be a duration such as 2h or 3d, or a time such as 2026-03-02 or 2026-03-02T18:45:00Z, not "1w"
    ! hint: stackops activity --since 7d -s shop
    = 2
  `));

test('the flags of all commands that take a duration are these', () => {
  expect(globalOptions.filter(({ flags }) => flags.includes('<duration>')).map(({ flags }) => flags)).toEqual([
    '--wait-timeout <duration>',
    '--poll <duration>',
    '--timeout <duration>',
  ]);
});
