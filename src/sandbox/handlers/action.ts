import { referenceIn } from '../../resources/action.ts';
import { refuse } from '../refusal.ts';
import type { StoredAction } from '../state.ts';
import type { SandboxWorld } from '../world.ts';
import type { HandlersOf } from './handler.ts';

export const actionHandlers: HandlersOf<'actions'> = {
  list: (world, { stack_id, user_reference }) =>
    rowsOf(world, stack_id)
      .filter(({ metadata }) => user_reference === undefined || referenceIn(metadata) === user_reference)
      .toReversed(),
  get: (world, { stack_id, id }) =>
    rowsOf(world, stack_id).find((row) => row.id === id) ?? refuse(404, `action ${id} not found`),
};

/** Actions of a cluster are read like those of a stack. */
function rowsOf({ state }: SandboxWorld, uid: string): readonly StoredAction[] {
  const holder = [...state.stacks, ...state.clusters].find(({ row }) => row.uid === uid);
  return holder?.actions.map(({ row }) => row) ?? refuse(404, `stack "${uid}" not found`);
}
