import { describe, expect, test } from 'vitest';
import { type AnswerMode, faultyService } from '../support/faulty.ts';
import { run } from '../support/stackops.ts';

/** Every write of settings, processes, databases, gateways and users whose answer is lost: looked for, never repeated. */
const shop = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
const group = `/stacks/${shop}/server_groups/21`;

interface Write {
  readonly words: string;
  readonly stdin?: string;
  readonly request: string;
  readonly said: string;
  readonly undo?: string;
}

const settled: readonly Write[] = [
  {
    words: 'stack settings set git.branch=release -s shop',
    request: `PUT /stacks/${shop}/settings/1203`,
    said: 'git.branch updated (main -> release)\n',
    undo: `stackops stack settings set git.branch=main -s shop`,
  },
  {
    words: 'server settings set shop-web-1 disk.space.alert.threshold=85 -s shop',
    request: `PUT /stacks/${shop}/servers/c1a7d3e95b2f4860a1b2c3d4e5f60718/settings/2102`,
    said: 'disk.space.alert.threshold updated (80 -> 85)\n',
    undo: `stackops server settings set shop-web-1 disk.space.alert.threshold=80 -s shop`,
  },
  {
    words: 'process scale web=3 -s shop',
    request: `POST /stacks/${shop}/processes/web/scale`,
    said: 'process web updated (2 -> 3 on shop-web-1, 2 -> 3 on shop-web-2; per server, 4 -> 6 in all)\n',
    undo: `stackops process scale web=2 -s shop`,
  },
  {
    words: 'db delete shop_prod -s shop --confirm shop_prod',
    request: `DELETE ${group}/databases/db5a1`,
    said: 'database shop_prod deleted (db5a1, 4.2 GiB, 1 user)\n',
  },
  {
    words: 'db user delete analytics -s shop --confirm analytics',
    request: `DELETE ${group}/database_users/du7c3`,
    said: 'database user analytics deleted (du7c3, readonly, uses shop_events)\n',
  },
  {
    words: 'db create reports -s shop',
    request: `POST ${group}/databases`,
    said: 'database reports created (db',
    undo: `stackops db delete reports -s shop -g 21`,
  },
  {
    words: 'db user create reporting -s shop',
    request: `POST ${group}/database_users`,
    said: 'database user reporting created (du',
    undo: `stackops db user delete reporting -s shop -g 21`,
  },
  {
    words: 'gateway create --name bastion-3',
    request: 'POST /accounts/42/gateways',
    said: 'gateway bastion-3 created (9, no address, closed)\n',
    undo: 'stackops gateway delete bastion-3 -a 42',
  },
  {
    words: 'gateway update bastion-2 --address 203.0.113.18',
    request: 'PUT /accounts/42/gateways/6',
    said: 'gateway bastion-2: address 203.0.113.8 -> 203.0.113.18\n',
    undo: 'stackops gateway update 6 --address 203.0.113.8 -a 42',
  },
  {
    words: 'gateway delete bastion-1 --confirm bastion-1',
    request: 'DELETE /accounts/42/gateways/5',
    said: 'gateway bastion-1 deleted (5, 203.0.113.7, open until 2035-01-01 00:00 UTC (8y))\n',
  },
  {
    words: 'user update 8 --set can_payment=true -y',
    request: 'PUT /users/8',
    said: 'user mara@harbour.example: can_payment false -> true\n',
    undo: 'stackops user update 8 --set can_payment=false',
  },
  {
    words: 'user device register 8 --type ios --sub-type ipad --token-stdin',
    stdin: 'token-of-mara',
    request: 'POST /users/8/devices',
    said: 'device of user 8 created (ios, ipad)\n',
    undo: 'stackops user device delete 8 --token-stdin',
  },
  {
    words: 'user device update 7 --type ios --sub-type ipad --token-stdin',
    stdin: 'sandbox-device-ada-phone',
    request: 'PUT /users/7/devices',
    said: 'device of user 7 updated (ios, iphone -> ios, ipad)\n',
    undo: 'stackops user device update 7 --type ios --sub-type iphone --token-stdin',
  },
  {
    words: 'user device delete 7 --token-stdin',
    stdin: 'sandbox-device-ada-phone',
    request: 'DELETE /users/7/devices/sandbox-device-ada-phone',
    said: 'device of user 7 deleted (ios, iphone)\n',
  },
];

const unresolved: readonly (Pick<Write, 'words' | 'request'> & { readonly mode: AnswerMode })[] = [
  { mode: 'cut', words: 'gateway update bastion-2 --ttl 8h', request: 'PUT /accounts/42/gateways/6' },
  {
    // What a field of the operator's own does is not known.
    mode: 'cut',
    words: 'process scale web=3 --field process_name=web -s shop',
    request: `POST /stacks/${shop}/processes/web/scale`,
  },
  { mode: 'cut', words: 'backup create -s shop --db-type redis', request: `POST /stacks/${shop}/backups` },
  {
    mode: 'cut',
    words: 'server reboot c1a7d3e95b2f4860a1b2c3d4e5f60718 -s shop -y',
    request: `POST /stacks/${shop}/servers/c1a7d3e95b2f4860a1b2c3d4e5f60718/reboot`,
  },
  {
    mode: 'cut',
    words: 'cluster reboot prod-eu --confirm prod-eu',
    request: 'POST /clusters/9c1e4b7a2d5f48309a1b2c3d4e5f6071/reboot_servers',
  },
  {
    mode: 'cut',
    words: 'db user regenerate-password app -s shop --confirm app',
    request: `POST ${group}/database_users/du7c2/regenerate_password`,
  },
  ...settled
    .filter(({ stdin }) => stdin === undefined)
    .map(({ words, request }) => ({ mode: 'break' as const, words, request })),
];

async function play(
  words: string,
  mode: AnswerMode,
  { stdin, more }: { stdin?: string; more?: Record<string, string> } = {},
) {
  const { env, seen } = await faultyService(mode, {
    // What was carried out shows by the time of the second check.
    onRead: (after) => {
      if (after > 0) seen.nowMs += 5_000;
    },
  });
  const ran = await run(words.split(' '), {
    env: { ...env, ...more },
    now: () => new Date('2026-05-04T12:00:00Z'),
    ...(stdin && { stdin }),
  });
  return { ...ran, changes: seen.changes };
}

describe('carried out, and the answer cut off: a check settles it', () => {
  test.each(settled)('$words', async ({ words, stdin, request, said, undo }) => {
    const { code, stdout, stderr, changes } = await play(words, 'cut', stdin === undefined ? {} : { stdin });
    expect(stderr).toContain('checked afterwards: the change was applied\n');
    expect(stdout.startsWith(said)).toBe(true);
    expect(code).toBe(0);
    expect(/undo: (.*)\n/.exec(stderr)?.[1]).toBe(undo);
    expect(changes).toEqual([request]);
  });
});

describe('what no check settles ends as unknown, and is not repeated', () => {
  test.each(unresolved)('$mode: $words', async ({ words, mode, request }) => {
    const { code, stdout, stderr, changes } = await play(words, mode);
    expect({ code, changes }).toEqual({ code: 11, changes: [request] });
    expect(stdout).not.toContain('done');
    expect(stderr).not.toContain('undo: ');
  });
});

test('with STACKOPS_RECONCILE=off nothing is checked', async () => {
  const more = { STACKOPS_RECONCILE: 'off' };
  const { code, changes } = await play('stack settings set git.branch=release -s shop', 'cut', { more });
  expect({ code, changes }).toEqual({ code: 11, changes: [`PUT /stacks/${shop}/settings/1203`] });
});
