import { describe, expect, test } from 'vitest';
import type { Read } from '../../../src/contract/observe.ts';
import type { Operation } from '../../../src/contract/operation.ts';
import { CliError } from '../../../src/errors/cli-error.ts';
import { actions, createAction } from '../../../src/resources/action.ts';
import { clusters } from '../../../src/resources/cluster.ts';
import { databaseUsers } from '../../../src/resources/database.ts';
import { createWrittenWatch } from '../../../src/writes/wait/engine.ts';

const queued = createAction({ id: 812 });

/** What is watched after a write that no row proves was answered by an action. */
function watching(operation: Operation, read: Read) {
  const input = { stack_id: 'shop', server_group_id: '21', id: 'du1' };
  const watch = createWrittenWatch(read, {
    operation,
    input,
    observer: undefined,
    snapshot: undefined,
    answer: queued,
  });
  return watch ?? expect.fail('nothing to watch');
}

describe('an action that a write was answered by', () => {
  const ended = { ...queued, finished_at: '2026-05-04T12:00:05Z', finished_success: true, finished_message: 'Well.' };

  test.each([
    ['its record is running', { ...queued, started_at: '2026-05-04T12:00:01Z' }, 'running'],
    ['its record ended well', ended, 'good'],
    ['its record ended badly', { ...ended, finished_success: false }, 'failed'],
    ['its record ended without a word', { ...ended, finished_success: null }, 'failed'],
  ])('%s', async (_, record, state) => {
    const read = async (operation: Operation) => (operation === actions.get ? record : expect.fail()) as never;
    const { check, resume } = watching(databaseUsers.regeneratePassword, read);
    expect(await check()).toMatchObject({ state, value: record });
    expect(resume).toEqual({ path: 'action wait', operands: ['812'], stack_id: 'shop' });
  });

  test('of a password or a cluster nothing but the record shows the end', async () => {
    const read = async () => {
      throw new CliError('not_found', 'no such thing', { status: 404 });
    };
    for (const operation of [databaseUsers.regeneratePassword, clusters.reboot]) {
      expect(await watching(operation, read).check()).toMatchObject({ state: 'unseen', value: queued });
    }
  });
});
