import { expect, test } from 'vitest';
import { rebootObserver } from '../../../src/commands/server/index.ts';
import type { Read } from '../../../src/contract/observe.ts';

const input = { stack_id: 'shop', server_id: 's1' };
const answer = { ok: true };
const old = { id: 811, action: 'server_reboot', finished_at: '2026-05-04T12:00:00Z', finished_success: true };
const lists =
  (rows: readonly object[]): Read =>
  async () =>
    rows as never;

test('the end of a reboot is that of the first new action of its kind', async () => {
  const snapshot = await rebootObserver.snapshot?.(lists([old]), input);
  const checkAt = (...rows: readonly object[]) =>
    rebootObserver.watch?.(lists(rows), input, { snapshot, answer }).check();
  expect(await checkAt(old)).toMatchObject({ state: 'unseen', value: answer });
  expect(await checkAt(old, { ...old, id: 812, action: 'stack-set: x' })).toMatchObject({ state: 'unseen' });
  const own = { ...old, id: 813 };
  expect(await checkAt(own, old)).toMatchObject({ state: 'good', value: own });
});
