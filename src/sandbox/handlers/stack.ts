import type { RecordOf } from '../../contract/record.ts';
import { referenceIn } from '../../resources/action.ts';
import type { Stack } from '../../resources/stack.ts';
import type { HeldStack, StoredAction } from '../state.ts';
import { type HandlersOf, refuse, type SandboxWorld, stackOf } from '../world.ts';

export const stackHandlers: HandlersOf<'stacks'> = {
  list: ({ state }) => state.stacks.map(show),
  get: (world, { id }) => show(stackOf(world, id)),
};

export const serverGroupHandlers: HandlersOf<'serverGroups'> = {
  list: (world, { stack_id }) => stackOf(world, stack_id).groups.map(({ row }) => row),
};

function show(stack: HeldStack): RecordOf<typeof Stack> {
  const { deployments, actions, row } = stack;
  const isBusy = deployments.some(({ phase }) => phase !== 'done') || actions.some(({ phase }) => phase !== 'finished');
  return { ...row, status: statusOf(stack), is_busy: isBusy };
}

function statusOf({ deployments }: HeldStack): number {
  // The codes of `stackStatuses`.
  if (deployments.some(({ phase }) => phase === 'deploying')) return 6;
  if (deployments.some(({ phase }) => phase === 'queued')) return 5;
  return deployments.at(-1)?.row.outcome.meaning === 'failed' ? 2 : 1;
}

export const actionHandlers: HandlersOf<'actions'> = {
  list: (world, { stack_id, user_reference }) =>
    rowsOf(world, stack_id)
      .filter(({ metadata }) => user_reference === undefined || referenceIn(metadata) === user_reference)
      .toReversed(),
  get: (world, { stack_id, id }) =>
    rowsOf(world, stack_id).find((row) => row.id === id) ?? refuse(404, `action ${id} not found`),
};

function rowsOf({ state }: SandboxWorld, uid: string): readonly StoredAction[] {
  // Actions of a cluster are read like those of a stack.
  const holder = [...state.stacks, ...state.clusters].find(({ row }) => row.uid === uid);
  return holder?.actions.map(({ row }) => row) ?? refuse(404, `stack "${uid}" not found`);
}
