import type { RecordOf } from '../../contract/record.ts';
import { userReferenceIn } from '../../resources/action.ts';
import type { Stack } from '../../resources/stack.ts';
import { type HandlersOf, refuse, type SandboxContext, stackOf } from '../context.ts';
import type { ActionRecord, StackState } from '../state.ts';

export const stackHandlers: HandlersOf<'stacks'> = {
  list: ({ state }) => state.stacks.map(toStackRecord),
  get: (context, { id }) => toStackRecord(stackOf(context, id)),
};

export const serverGroupHandlers: HandlersOf<'serverGroups'> = {
  list: (context, { stack_id }) => stackOf(context, stack_id).groups.map(({ row }) => row),
};

function toStackRecord(stack: StackState): RecordOf<typeof Stack> {
  const { deployments, actions, row } = stack;
  const isBusy = deployments.some(({ phase }) => phase !== 'done') || actions.some(({ phase }) => phase !== 'finished');
  return { ...row, status: statusOf(stack), is_busy: isBusy };
}

function statusOf({ deployments, copiedStatus }: StackState): number {
  if (copiedStatus !== undefined) return copiedStatus;
  // The codes are indexes of `stackStatuses`.
  if (deployments.some(({ phase }) => phase === 'deploying')) return 6;
  if (deployments.some(({ phase }) => phase === 'queued')) return 5;
  return deployments.at(-1)?.row.outcome.meaning === 'failed' ? 2 : 1;
}

export const actionHandlers: HandlersOf<'actions'> = {
  list: (context, { stack_id, user_reference }) =>
    actionRowsOf(context, stack_id)
      .filter(({ metadata }) => user_reference === undefined || userReferenceIn(metadata) === user_reference)
      .toReversed(),
  get: (context, { stack_id, id }) =>
    actionRowsOf(context, stack_id).find((row) => row.id === id) ?? refuse(404, `action ${id} not found`),
};

function actionRowsOf({ state }: SandboxContext, uid: string): readonly ActionRecord[] {
  // `uid` may be the UID of a cluster, because its actions are requested like those of a stack.
  const owner = [...state.stacks, ...state.clusters].find(({ row }) => row.uid === uid);
  return owner?.actions.map(({ row }) => row) ?? refuse(404, `stack "${uid}" not found`);
}
