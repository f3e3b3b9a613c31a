import { expect, test } from 'vitest';
import { requestObserver } from '../../../src/commands/deployment/requested-deployment.ts';
import type { Read } from '../../../src/contract/observe.ts';
import type { Operation } from '../../../src/contract/operation.ts';
import { actions, createAction } from '../../../src/resources/action.ts';
import { deployments } from '../../../src/resources/deployment.ts';

/** A service that shows the same to every read, by operation; `reads` are those that were sent. */
function shows(...shown: readonly (readonly [Operation, unknown])[]) {
  const known = new Map<Operation, unknown>(shown);
  const reads: Operation[] = [];
  const read: Read = async (operation) => {
    reads.push(operation);
    return known.get(operation) as never;
  };
  return { read, reads };
}

const finished_at = '2026-05-04T12:00:05Z';
const queued = createAction({ id: 812 });
const ended = { ...queued, finished_at, finished_success: true, finished_message: 'Well.' };
const failed = { ...ended, finished_success: false };
const running = { ...queued, started_at: finished_at };
const deployed = (id: number, meaning?: string) => ({
  id,
  is_deploying: meaning === undefined,
  finished_at: meaning ? finished_at : null,
  outcome: { meaning: meaning ?? 'pending' },
});

test.each<readonly [string, object, readonly object[], object]>([
  ['the only new one, by its own record', ended, [deployed(8, 'failed')], { state: 'failed', value: { id: 8 } }],
  ['the only new one, while it runs', running, [deployed(8)], { state: 'running', text: 'deploying' }],
  ['one that is over before its action', running, [deployed(8, 'success')], { state: 'running', text: 'started' }],
  ['one of several, by the action', running, [deployed(9), deployed(8, 'success')], { state: 'running' }],
  ['one of several, once it has succeeded', ended, [deployed(9, 'success'), deployed(8)], { value: { id: 9 } }],
  ['none of several, where none has succeeded', ended, [deployed(9), deployed(8, 'failed')], { state: 'running' }],
  ['one of several, to its bad end', failed, [deployed(9, 'success'), deployed(8)], { state: 'failed' }],
  ['none, of an action that failed', failed, [], { state: 'failed', value: failed }],
])('a deployment whose reply names an action is watched: %s', async (_, action, rows, expected) => {
  const { read } = shows([actions.get, action], [deployments.list, [...rows, deployed(7, 'success')]]);
  const answered = { snapshot: [], answer: { async_action_id: 812, message: '' } };
  const watch = requestObserver([7]).watch?.(read, { stack_id: 'shop' }, answered);
  expect(await watch?.check()).toMatchObject(expected);
});

test('of several new deployments only the action is polled', async () => {
  const { read, reads } = shows([actions.get, running], [deployments.list, [deployed(9), deployed(8)]]);
  const answered = { snapshot: [], answer: { async_action_id: 812, message: '' } };
  const watch = requestObserver([7]).watch?.(read, { stack_id: 'shop' }, answered);
  for (const _ of [1, 2, 3]) await watch?.check();
  expect(reads).toEqual([actions.get, deployments.list, actions.get, actions.get]);
});
