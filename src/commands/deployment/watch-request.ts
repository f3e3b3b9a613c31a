import { watchAction } from '../../changes/wait/action.ts';
import type { Read, Status, Watch } from '../../contract/observe.ts';
import { readOrUndefined } from '../../problems/unreadable.ts';
import { actionWith } from '../../resources/action.ts';
import {
  type DeploymentRow,
  deployments,
  newestFirst,
  type RedeployReply,
  recent,
} from '../../resources/deployment.ts';
import { deploymentStatus, waitCommand } from './watch.ts';

/** A request to deploy that has a response. */
export interface Requested {
  readonly stack_id: string;
  /** The ID of the deployment or of its action. */
  readonly id: number | undefined;
  readonly action_id: number | undefined;
  /** IDs of the newest deployments before the request, where they could be read. */
  readonly known: readonly number[] | undefined;
  readonly answer: RedeployReply;
}

/**
 * Watches what a request to deploy started, by one request a poll: its action while that runs, else the deployment.
 * The deployment adds its ID and details to an action, and proves its good end.
 */
export function watchRequested(read: Read, requested: Requested): Watch {
  const { stack_id, id } = requested;
  /** The new deployments as last seen. */
  let seen: readonly DeploymentRow[] = [];
  /** Undefined once the deployment is polled instead. */
  let action_id = requested.action_id;

  const statusByAction = async (action: Status): Promise<Status> => {
    if (action.state === 'failed') return action;
    const isOver = action.state === 'good';
    if (isOver || isBehind(seen, action)) seen = await newAmong(read, requested);
    const row = only(seen);
    const deployment = row && deploymentStatus(row);
    if (isOver && deployment) action_id = undefined;
    return deployment && (isOver || deployment.state === 'running') ? deployment : action;
  };
  const statusByDeployment = async (): Promise<Status> => {
    const deployment_id = only(seen)?.id;
    const row = await (deployment_id === undefined
      ? findDeployment(read, requested)
      : read(deployments.get, { stack_id, deployment_id }));
    if (!row) return statusBeforeDeployment(read, requested);
    seen = [row];
    action_id = undefined;
    return deploymentStatus(row);
  };
  return {
    get name() {
      const known = only(seen)?.id ?? id;
      return known === undefined ? 'the deployment' : `deployment ${known}`;
    },
    resume: id === undefined ? { path: 'deployment list', stack_id } : waitCommand(stack_id, id),
    check: async () => {
      const action = action_id === undefined ? undefined : await statusOfAction(read, stack_id, action_id);
      const isUsable = action !== undefined && action.state !== 'unseen';
      const status = await (isUsable ? statusByAction(action) : statusByDeployment());
      const row = only(seen);
      return row ? { ...status, resume: waitCommand(stack_id, row.id) } : status;
    },
  };
}

/** Whether a list of the deployments may show more than the last one did. */
function isBehind(seen: readonly DeploymentRow[], action: Status): boolean {
  if (seen.length === 0) return true;
  const row = only(seen);
  return row !== undefined && action.text === 'started' && deploymentStatus(row).text === 'queued';
}

/** The deployment with the ID in the response, else the oldest new one: that was requested first. */
async function findDeployment(read: Read, requested: Requested): Promise<DeploymentRow | undefined> {
  const { stack_id, known, id } = requested;
  const mayBe = id !== undefined && id > lastOf(known ?? []);
  const named = mayBe && (await readOrUndefined(read(deployments.get, { stack_id, deployment_id: id })));
  return named || (await newAmong(read, requested)).at(-1);
}

/** No deployment is shown yet: the action may have failed before one started. */
async function statusBeforeDeployment(read: Read, requested: Requested): Promise<Status> {
  const { stack_id, known, answer, action_id, id } = requested;
  const queued: Status = { state: 'running', text: 'queued', value: answer };
  const carrier = action_id ?? id;
  // Without those before it no deployment is known to be new.
  const unseen: Status = { state: 'unseen', text: 'the deployments before it could not be read', value: answer };
  if (carrier === undefined) return known ? queued : unseen;
  const status = await statusOfAction(read, stack_id, carrier);
  return status.state === 'failed' ? status : queued;
}

async function statusOfAction(read: Read, stack_id: string, id: number): Promise<Status> {
  return watchAction(read, { stack_id, id }, actionWith({ id })).check();
}

type Place = Pick<Requested, 'stack_id' | 'known'>;

/** The only deployment since the request. */
export async function onlyNew(read: Read, place: Place): Promise<DeploymentRow | undefined> {
  return only(await newAmong(read, place));
}

/** Of several, none is known to be the one requested. */
function only([row, ...more]: readonly DeploymentRow[]): DeploymentRow | undefined {
  return more.length === 0 ? row : undefined;
}

/** The deployments since the request, newest first; empty where the earlier ones are not known. */
async function newAmong(read: Read, { stack_id, known }: Place): Promise<readonly DeploymentRow[]> {
  if (!known) return [];
  const rows = await read(deployments.list, { stack_id }, { limit: recent });
  return newestFirst(rows.filter(({ id }) => id > lastOf(known)));
}

function lastOf(known: readonly number[]): number {
  return Math.max(0, ...known);
}
