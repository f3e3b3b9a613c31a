import { checkForMs } from '../../builders/execute/send.ts';
import { type Observer, ProbableMatch, type Read } from '../../contract/observe.ts';
import { readOrUndefined } from '../../errors/cli-error.ts';
import { type Action, actions, referenceIn } from '../../resources/action.ts';
import { type DeploymentRequest, type RedeployReply, recent } from '../../resources/deployment.ts';
import { callerName, type Known, only, ownAmongNew } from './own-deployment.ts';
import { watchRequested } from './requested-deployment.ts';
import { staysBeside } from './summary.ts';
import { agreeingReads, watchExpected } from './watch.ts';

/**
 * Checks the outcome of a request to deploy. Without a response, its reference identifies it where the service shows
 * references; else the only new deployment that fits the request probably is the one. `isNamed`: the reference is the
 * operator's, who may have used it before.
 */
export function requestObserver(
  known: Known,
  isNamed = false,
): Observer<DeploymentRequest, readonly number[], RedeployReply> {
  return {
    checkForMs,
    snapshot: async (read, input) => (isNamed ? (await referencedBy(read, input)).map(({ id }) => Number(id)) : []),
    check: async (read, input, earlier = isNamed ? undefined : []) => {
      const found = only(await ownAmongNew(read, input, { known, caller: callerName(read) }));
      const action = earlier && (await referencedBy(read, input)).find(({ id }) => !earlier.includes(Number(id)));
      if (action) {
        const message = `no response; action ${action.id} has its reference`;
        return { ...(found ? { id: found.id } : { async_action_id: action.id }), message, queued: true };
      }
      if (!found) return undefined;
      const message = 'no response; this is the only new deployment';
      return new ProbableMatch({ id: found.id, message, queued: true });
    },
    watchesActions: true,
    watch: (read, input, { answer }) => {
      const { stack_id, git_ref } = input;
      const reads = staysBeside(input) ? undefined : agreeingReads;
      return watchExpected(read, { stack_id, git_ref, reads }, watchRequested(read, input, { known, answer }));
    },
  };
}

async function referencedBy(read: Read, { stack_id, user_reference }: DeploymentRequest): Promise<readonly Action[]> {
  if (user_reference === undefined) return [];
  const found = await readOrUndefined(read(actions.list, { stack_id, user_reference }, { limit: recent }));
  // A service may ignore the filter.
  return (found ?? []).filter(({ id, metadata }) => id !== null && referenceIn(metadata) === user_reference);
}
