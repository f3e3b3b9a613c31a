import { describe, expect, test } from 'vitest';
import { dbCommands } from '../../../src/commands/db/index.ts';
import { gatewayCommands } from '../../../src/commands/gateway/index.ts';
import { userCommands } from '../../../src/commands/user/index.ts';
import { variantCommands } from '../../../src/commands/variant/index.ts';
import type { Command, Context } from '../../../src/contract/command.ts';
import type { Observer, Read } from '../../../src/contract/observe.ts';
import { isWriteOperation, type Operation } from '../../../src/contract/operation.ts';
import { CliError } from '../../../src/errors/cli-error.ts';
import { createAction } from '../../../src/resources/action.ts';
import { databases } from '../../../src/resources/database.ts';
import { createWrittenWatch } from '../../../src/writes/wait/engine.ts';
import { writesOf } from '../../support/does.ts';
import { unsent } from '../../support/phrases.ts';

/** What a write of a kind sends, and how it is seen when its reply is lost. */
interface Sent {
  readonly operation: Operation;
  readonly request: Readonly<Record<string, unknown>>;
  readonly observer: Observer | undefined;
}

/** What every read shows: a list, or one resource. */
type Rows = object;

/** Plans a write at a service that lists these rows, and sends it. */
async function sentBy(command: Command | undefined, input: Sent['request'], rows: Rows): Promise<Sent> {
  const sent: Sent[] = [];
  const call = async (operation: Operation, request: Sent['request'], more?: { readonly observer?: Observer }) => {
    if (!isWriteOperation(operation)) return rows;
    sent.push({ operation, request, observer: more?.observer });
    return undefined;
  };
  const context = { call, now: () => new Date('2026-05-04T12:00:00Z') } as unknown as Context;
  const plan = await writesOf(command).plan(context, input);
  for (const step of plan.steps) await step.send();
  return sent[0] ?? expect.fail('nothing was sent');
}

const listing =
  (rows: Rows): Read =>
  async () =>
    rows as never;

/** What takes the place of the lost reply once the service lists these rows. */
function proof({ observer, request }: Sent, rows: Rows, before?: unknown): Promise<unknown> {
  return Promise.resolve(observer?.check?.(listing(rows), request, before));
}

/** What is read before it leaves. */
function noted({ observer, request }: Sent, rows: Rows): Promise<unknown> {
  return Promise.resolve(observer?.snapshot?.(listing(rows), request));
}

const place = { stack_id: 'shop', server_group_id: '21' };
const done = { finished_success: true };
const [a, b] = ['a', 'b'].map((name) => ({ uid: `db-${name}`, name, size_bytes: 0 }));
if (!a || !b) throw new Error('two databases');
const app = { uid: 'du1', username: 'app', user_type: 'application' };
const device = { device_type: 1, sub_type: 1, token: 'hush' };
const bastion = { id: 5, name: 'a', address: 'x', username: 'ops', ttl: null };

describe('a lost creation', () => {
  const created = sentBy(dbCommands['db create'], { ...place, database_name: 'b' }, [a]);

  test('shows in a name that was not there before', async () => {
    const sent = await created;
    const before = await noted(sent, [a]);
    expect(await proof(sent, [a], before)).toBeUndefined();
    expect(await proof(sent, [a, b], before)).toMatchObject(done);
  });

  test('is not proven where nothing was read before', async () => {
    const sent = await created;
    expect(await proof(sent, [a, b])).toBeUndefined();
    const written = { ...sent, input: sent.request, snapshot: undefined, answer: createAction({ id: 812 }) };
    const read: Read = async (operation) => {
      if (operation === databases.list) return [a, b] as never;
      throw new CliError('not_found', 'no such record', { status: 404 });
    };
    expect(await createWrittenWatch(read, written)?.check()).toMatchObject({ state: 'unseen' });
  });

  test('of a name that is taken is refused before it leaves', async () => {
    await expect(noted(await created, [a, b])).rejects.toMatchObject({
      kind: 'rejected',
      message: `database "b" exists already${unsent}`,
      details: { hint: { path: 'db list', stack_id: 'shop', server_group_id: '21' } },
    });
  });

  test('of a gateway shows in the only one of its name that was not there before', async () => {
    const sent = await sentBy(gatewayCommands['gateway create'], { account_id: 42, name: 'a' }, []);
    const [five, six, seven] = [5, 6, 7].map((id) => ({ ...bastion, id }));
    if (!five || !six || !seven) throw new Error('three gateways');
    const other = { ...five, name: 'b' };
    const before = await noted(sent, [other]);
    expect(await proof(sent, [other], before)).toBeUndefined();
    expect(await proof(sent, [other, six], before)).toMatchObject({ ok: true });
    expect(await proof(sent, [other, six, seven], before)).toBeUndefined();
    expect(await proof(sent, [five, six])).toBeUndefined();
  });
});

describe('a lost deletion', () => {
  test.each<readonly [string, Command | undefined, Sent['request'], Rows, Rows, unknown]>([
    ['a database that is gone', dbCommands['db delete'], { ...place, database: 'a' }, [a], [b], done],
    ['a database that is there', dbCommands['db delete'], { ...place, database: 'a' }, [a], [a, b], undefined],
    ['a user that is gone', dbCommands['db user delete'], { ...place, user: 'app' }, [app], [], done],
    [
      'a gateway that is gone',
      gatewayCommands['gateway delete'],
      { account_id: 42, gateway: '5' },
      [bastion],
      [],
      true,
    ],
    [
      'a device that is gone',
      userCommands['user device delete'],
      { user: '7', token: 'hush' },
      { devices: [device] },
      { devices: [] },
      true,
    ],
  ])('shows in %s', async (_, command, input, before, after, expected) => {
    const found = await proof(await sentBy(command, input, before), after);
    if (typeof expected === 'object') expect(found).toMatchObject(expected as object);
    else expect(found).toBe(expected);
  });
});

describe('a lost change', () => {
  const update = (patch: object) =>
    sentBy(gatewayCommands['gateway update'], { account_id: 42, gateway: '5', ...patch }, [bastion]);

  test('shows in a row as it was asked for', async () => {
    const sent = await update({ address: 'y' });
    expect(await proof(sent, [{ ...bastion, address: 'y' }])).toMatchObject({ ok: true });
    expect(await proof(sent, [{ ...bastion, address: 'z' }])).toBeUndefined();
  });

  test('of a device shows in its kind', async () => {
    const typed = { user: '7', type: 'ios', sub_type: 'ipad', token: 'hush' };
    const sent = await sentBy(userCommands['user device update'], typed, { devices: [device] });
    const changed = { ...device, sub_type: 2 };
    expect(await proof(sent, { devices: [changed] })).toBe(changed);
    expect(await proof(sent, { devices: [device] })).toBeUndefined();
  });

  test('of a user shows in every right and role that was sent', async () => {
    const uid = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
    const user = (can_payment: boolean, role: string) => ({
      id: 7,
      access_profile: { account_profile: { can_payment, can_fly: true }, stack_profiles: [{ stack_uid: uid, role }] },
    });
    const typed = { user: '7', set: ['can_payment=true'], role: [`${uid}=Deployer`] };
    const sent = await sentBy(userCommands['user update'], typed, user(false, 'Viewer'));
    const changed = user(true, 'Deployer');
    expect(await proof(sent, changed)).toBe(changed);
    expect(await proof(sent, user(true, 'Viewer'))).toBeUndefined();
    expect(await proof(sent, user(false, 'Deployer'))).toBeUndefined();
  });

  test('is not checked if nothing shows it: a key, a moment in time, a commit, a password', async () => {
    const canary = { uid: 'va', variant_type: 'canary', percentage: 10, git_hash: 'c' };
    const unseen = [
      await update({ content: 'key' }),
      await update({ ttl: 60 }),
      await sentBy(variantCommands['variant commit'], { stack_id: 'shop', id: 'va' }, [canary]),
      await sentBy(dbCommands['db user regenerate-password'], { ...place, user: 'app' }, [app]),
    ];
    expect(unseen.map(({ observer }) => observer)).toEqual([undefined, undefined, undefined, undefined]);
  });
});
