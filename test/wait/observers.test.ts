import { describe, expect, test } from 'vitest';
import { observerOf } from '../../src/changes/wait/observers.ts';
import { watchWritten } from '../../src/changes/wait/written.ts';
import type { Observer, Read } from '../../src/contract/observe.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { Problem } from '../../src/problems/problem.ts';
import { actions, actionWith } from '../../src/resources/action.ts';
import { backups } from '../../src/resources/backup.ts';
import { clusters } from '../../src/resources/cluster.ts';
import { databaseUsers } from '../../src/resources/database-user.ts';
import { devices } from '../../src/resources/device.ts';
import { users } from '../../src/resources/user.ts';

const notFound = new Problem('not_found', 'no such thing', { status: 404 });

/** A service that shows the same to every read, by operation; what it does not show is not there. */
function shows(...shown: readonly (readonly [Operation, unknown])[]): Read {
  const known = new Map<Operation, unknown>(shown);
  return async (operation) => {
    if (!known.has(operation)) throw notFound;
    return known.get(operation) as never;
  };
}

function observer(operation: Operation): Required<Pick<Observer, 'look' | 'watch' | 'note'>> {
  const found = observerOf(operation);
  if (!found) throw new Error('no observer');
  const missing = (): never => {
    throw new Error('does not do this');
  };
  return { look: missing, watch: missing, note: missing, ...found };
}

/** The watch of an answered write. */
function watching(operation: Operation, read: Read, input: object, told: { note: unknown; answer: unknown }) {
  const watch = watchWritten(read, { operation, input: { ...input }, observer: observerOf(operation), ...told });
  return watch ?? expect.fail('nothing to watch');
}

const queued = actionWith({ id: 812 });
const place = { stack_id: 'shop', server_group_id: '21' };

describe('a look without an answer', () => {
  const device = { id: 7, device_type: 1, sub_type: 2, token: 'hush' };

  test.each<readonly [string, Operation, object, Read, object | true | undefined]>([
    ['a device as asked for', devices.update, device, shows([users.get, { devices: [device] }]), true],
    [
      'a device of another kind',
      devices.update,
      device,
      shows([users.get, { devices: [{ ...device, sub_type: 1 }] }]),
      undefined,
    ],
    ['a device that is gone', devices.delete, device, shows([users.get, { devices: [] }]), true],
  ])('shows %s', async (_, operation, input, read, expected) => {
    const found = await observer(operation).look(read, input, undefined);
    if (typeof expected === 'object') expect(found).toEqual(expect.objectContaining(expected));
    else expect(found).toBe(expected);
  });
});

describe('what is watched', () => {
  const ended = { ...queued, finished_at: '2026-05-04T12:00:05Z', finished_success: true, finished_message: 'Well.' };
  const input = { ...place, id: 'du1' };

  test.each([
    ['its record is running', { ...queued, started_at: '2026-05-04T12:00:01Z' }, 'running'],
    ['its record ended well', ended, 'good'],
    ['a text says so', { ...ended, finished_success: 'true' }, 'good'],
    ['its record ended badly', { ...ended, finished_success: false }, 'failed'],
    ['its record ended without a word', { ...ended, finished_success: null }, 'failed'],
  ])('of an action: %s', async (_, record, state) => {
    const told = { note: undefined, answer: queued };
    const { look, resume } = watching(databaseUsers.regeneratePassword, shows([actions.get, record]), input, told);
    expect(await look()).toMatchObject({ state, value: record });
    expect(resume).toEqual({ path: 'action wait', operands: ['812'], stack_id: 'shop' });
  });

  test('of a password or a cluster nothing but the record shows the end', async () => {
    const told = { note: undefined, answer: queued };
    for (const operation of [databaseUsers.regeneratePassword, clusters.reboot]) {
      const { look } = watching(operation, shows(), { ...input, id: 'c1' }, told);
      expect(await look()).toMatchObject({ state: 'unseen', value: queued });
    }
  });

  const row = (id: number, db_type: string, backup_status: number) => ({
    id,
    db_type,
    backup_status,
    backup_result: '',
  });
  test.each<readonly [string, object, readonly object[], object]>([
    ['none yet', { db_type: ['redis'] }, [row(1, 'redis', 0)], { state: 'running' }],
    ['one of another kind', { db_type: ['redis'] }, [row(2, 'mysql', 0)], { state: 'running' }],
    ['one of two', { db_type: ['redis', 'mysql'] }, [row(2, 'mysql', 0)], { state: 'running' }],
    [
      'the kind asked for',
      { db_type: ['redis'] },
      [row(3, 'mysql', 1), row(2, 'redis', 0)],
      { state: 'good', value: { backups: [row(2, 'redis', 0)] } },
    ],
    [
      'one that failed',
      { db_type: ['all'] },
      [row(2, 'redis', 1)],
      { state: 'failed', words: 'backup 2 of redis has status 1' },
    ],
    ['a code nobody explains', {}, [row(2, 'redis', 7)], { state: 'unseen', words: 'backup 2 of redis has status 7' }],
    ['a schedule', { frequency: '@daily' }, [row(2, 'redis', 0)], { state: 'unseen' }],
  ])('of a backup: %s', async (_, input, rows, expected) => {
    const { watch } = observer(backups.create);
    const told = { note: [1], answer: { ok: true } };
    const { look } = watch(shows([backups.list, rows]), { stack_id: 'shop', ...input }, told);
    expect(await look()).toMatchObject(expected);
  });
});
