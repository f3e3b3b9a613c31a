import { refuse } from '../refusal.ts';
import { stackOf, type World } from '../world.ts';
import type { HandlersOf } from './handler.ts';

export const actionHandlers: HandlersOf<'actions'> = {
  list: (world, { stack_id, user_reference }) =>
    rowsOf(world, stack_id)
      .filter(({ metadata }) => user_reference === undefined || referenceOf(metadata) === user_reference)
      .toReversed(),
  get: (world, { stack_id, id }) =>
    rowsOf(world, stack_id).find((row) => row.id === id) ?? refuse(404, `there is no action ${id}`),
};

function rowsOf(world: World, uid: string) {
  return stackOf(world, uid).actions.map(({ row }) => row);
}

function referenceOf(metadata: unknown): unknown {
  return typeof metadata === 'object' && metadata !== null && 'user_reference' in metadata
    ? metadata.user_reference
    : undefined;
}
