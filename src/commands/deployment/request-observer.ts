import { type Observer, ProbableMatch, type Read } from '../../contract/observe.ts';
import type { InputOf } from '../../contract/operation.ts';
import { checkForMs } from '../../kinds/perform/send.ts';
import { readOrUndefined } from '../../problems/unreadable.ts';
import { type Action, actionOf, actions, referenceIn } from '../../resources/action.ts';
import { type DeploymentRow, type deployments, type RedeployReply, recent } from '../../resources/deployment.ts';
import { onlyNew, type Requested, watchRequested } from './watch-request.ts';

type DeploymentInput = InputOf<typeof deployments.create>;

/**
 * Checks the outcome of a request to deploy. Without a response, its reference identifies it where the service shows
 * references; else the only new deployment probably is the one. `known`: IDs of the newest deployments before the
 * request, where they could be read.
 */
export function requestObserver(
  known: readonly number[] | undefined,
): Observer<DeploymentInput, readonly number[], RedeployReply> {
  return {
    checkForMs,
    snapshot: async (read, input) =>
      isForOneRun(input) ? [] : (await referencedBy(read, input)).map(({ id }) => Number(id)),
    check: async (read, input, earlier = isForOneRun(input) ? [] : undefined) => {
      const only = await onlyNew(read, { stack_id: input.stack_id, known });
      const action = earlier && (await referencedBy(read, input)).find(({ id }) => !earlier.includes(Number(id)));
      if (action) return answerFrom(action, only);
      if (!only) return undefined;
      const message = 'no response; this is the only new deployment';
      return new ProbableMatch({ id: only.id, message, queued: true });
    },
    watchesActions: true,
    watch: (read, { stack_id }, { answer }) => watchRequested(read, { stack_id, known, ...idsOf(answer), answer }),
  };
}

/** A reference generated for this run is unique; one from the operator may have been used before. */
function isForOneRun({ user_reference }: DeploymentInput): boolean {
  return user_reference === undefined || /^stackops-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(user_reference);
}

/** The actions with this reference. It is compared here too, because a service may ignore the filter. */
async function referencedBy(read: Read, { stack_id, user_reference }: DeploymentInput): Promise<readonly Action[]> {
  if (user_reference === undefined) return [];
  const found = await readOrUndefined(read(actions.list, { stack_id, user_reference }, { limit: recent }));
  return (found ?? []).filter(({ id, metadata }) => id !== null && referenceIn(metadata) === user_reference);
}

function answerFrom({ id }: Action, deployment: DeploymentRow | undefined): RedeployReply {
  const message = `no response; action ${id} has its reference`;
  return { ...(deployment ? { id: deployment.id } : { async_action_id: id }), message, queued: true };
}

/** `id` may be the ID of the deployment or of its action. Where the action has its own field, `id` is not used. */
function idsOf(answer: RedeployReply): Pick<Requested, 'id' | 'action_id'> {
  const action_id = actionOf(answer)?.id ?? undefined;
  return { action_id, id: 'async_action_id' in answer || action_id !== undefined ? undefined : answer.id };
}
