import { checkForMs } from '../../builders/execute/send.ts';
import { type Observer, ProbableMatch, type Read, type Status, type Watch } from '../../contract/observe.ts';
import type { InputOf } from '../../contract/operation.ts';
import { readOrUndefined } from '../../errors/unreadable.ts';
import { type Action, actionOf, actions, actionWith, referenceIn } from '../../resources/action.ts';
import {
  type DeploymentRow,
  deployments,
  newestFirst,
  type RedeployReply,
  recent,
} from '../../resources/deployment.ts';
import { watchAction } from '../../writes/wait/action.ts';
import { deploymentStatus, waitCommand } from './watch.ts';

type DeploymentInput = InputOf<typeof deployments.create>;
/** IDs of the newest deployments before the request, where they could be read. */
type Known = readonly number[] | undefined;

/**
 * Checks the outcome of a request to deploy. Without a response, its reference identifies it where the service shows
 * references; else the only new deployment probably is the one. `isNamed`: the reference is the operator's, who may have
 * used it before.
 */
export function requestObserver(
  known: Known,
  isNamed = false,
): Observer<DeploymentInput, readonly number[], RedeployReply> {
  return {
    checkForMs,
    snapshot: async (read, input) => (isNamed ? (await referencedBy(read, input)).map(({ id }) => Number(id)) : []),
    check: async (read, input, earlier = isNamed ? undefined : []) => {
      const found = only(await newAmong(read, input.stack_id, known));
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
    watch: (read, { stack_id }, { answer }) => watchRequested(read, stack_id, known, answer),
  };
}

async function referencedBy(read: Read, { stack_id, user_reference }: DeploymentInput): Promise<readonly Action[]> {
  if (user_reference === undefined) return [];
  const found = await readOrUndefined(read(actions.list, { stack_id, user_reference }, { limit: recent }));
  // A service may ignore the filter.
  return (found ?? []).filter(({ id, metadata }) => id !== null && referenceIn(metadata) === user_reference);
}

/** Watches by one request a poll: the action while it runs, else the deployment, which also proves its good end. */
function watchRequested(read: Read, stack_id: string, known: Known, answer: RedeployReply): Watch {
  let action_id = actionOf(answer)?.id ?? undefined;
  // It may be that of the deployment or of its action. Where the action has its own field, it is not used.
  const id = 'async_action_id' in answer || action_id !== undefined ? undefined : answer.id;
  let seen: readonly DeploymentRow[] = [];
  const statusOfAction = (id: number) => watchAction(read, { stack_id, id }, actionWith({ id })).check();

  const statusByAction = async (action: Status): Promise<Status> => {
    if (action.state === 'failed') return action;
    const isOver = action.state === 'good';
    const before = only(seen);
    const isBehind = before && action.text === 'started' && deploymentStatus(before).text === 'queued';
    if (isOver || isBehind || seen.length === 0) seen = await newAmong(read, stack_id, known);
    const row = only(seen);
    const deployment = row && deploymentStatus(row);
    if (isOver && deployment) action_id = undefined;
    return deployment && (isOver || deployment.state === 'running') ? deployment : action;
  };
  const findDeployment = async (): Promise<DeploymentRow | undefined> => {
    const deployment_id = only(seen)?.id;
    if (deployment_id !== undefined) return read(deployments.get, { stack_id, deployment_id });
    const mayBe = id !== undefined && id > lastOf(known ?? []);
    const named = mayBe && (await readOrUndefined(read(deployments.get, { stack_id, deployment_id: id })));
    // The oldest new one was requested first.
    return named || (await newAmong(read, stack_id, known)).at(-1);
  };
  const statusByDeployment = async (): Promise<Status> => {
    const row = await findDeployment();
    if (row) {
      seen = [row];
      action_id = undefined;
      return deploymentStatus(row);
    }
    const carrier = action_id ?? id;
    if (carrier === undefined && !known) {
      return { state: 'unseen', text: 'the deployments before it could not be read', value: answer };
    }
    // The action may have failed before a deployment started.
    const action = carrier === undefined ? undefined : await statusOfAction(carrier);
    return action?.state === 'failed' ? action : { state: 'running', text: 'queued', value: answer };
  };
  return {
    get name() {
      const shown = only(seen)?.id ?? id;
      return shown === undefined ? 'the deployment' : `deployment ${shown}`;
    },
    resume: id === undefined ? { path: 'deployment list', stack_id } : waitCommand(stack_id, id),
    check: async () => {
      const action = action_id === undefined ? undefined : await statusOfAction(action_id);
      const isUsable = action !== undefined && action.state !== 'unseen';
      const status = await (isUsable ? statusByAction(action) : statusByDeployment());
      const row = only(seen);
      return row ? { ...status, resume: waitCommand(stack_id, row.id) } : status;
    },
  };
}

/** Of several, none is known to be the one requested. */
function only([row, ...more]: readonly DeploymentRow[]): DeploymentRow | undefined {
  return more.length === 0 ? row : undefined;
}

/** The deployments since the request, newest first; empty where the earlier ones are not known. */
async function newAmong(read: Read, stack_id: string, known: Known): Promise<readonly DeploymentRow[]> {
  if (!known) return [];
  const rows = await read(deployments.list, { stack_id }, { limit: recent });
  return newestFirst(rows.filter(({ id }) => id > lastOf(known)));
}

function lastOf(known: readonly number[]): number {
  return Math.max(0, ...known);
}
