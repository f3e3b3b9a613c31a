import type { RecordOf } from '../../contract/record.ts';
import type { Stack } from '../../resources/stack.ts';
import type { HeldStack } from '../state.ts';
import { stackOf } from '../world.ts';
import type { HandlersOf } from './handler.ts';

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

/** Codes of `stackStatuses`, derived from the deployments. */
function statusOf({ deployments }: HeldStack): number {
  if (deployments.some(({ phase }) => phase === 'deploying')) return 6;
  if (deployments.some(({ phase }) => phase === 'queued')) return 5;
  return deployments.at(-1)?.row.outcome.meaning === 'failed' ? 2 : 1;
}
