import { watchAction } from '../../changes/wait/action.ts';
import { type Observer, ProbableMatch, type Read, type Status, type Watch } from '../../contract/observe.ts';
import type { InputOf } from '../../contract/operation.ts';
import { checkForMs } from '../../kinds/perform/send.ts';
import { readOrUndefined } from '../../problems/unreadable.ts';
import { type Action, actionOf, actions, actionWith, referenceIn } from '../../resources/action.ts';
import {
  type DeploymentRow,
  deployments,
  newestFirst,
  type RedeployReply,
  recent,
} from '../../resources/deployment.ts';
import { deploymentStatus, waitCommand } from './watch.ts';

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
      const found = only(await newAmong(read, { stack_id: input.stack_id, known }));
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

/** `id` may be the ID of the deployment or of its action. Where the action has its own field, `id` is not used. */
function idsOf(answer: RedeployReply): Pick<Requested, 'id' | 'action_id'> {
  const action_id = actionOf(answer)?.id ?? undefined;
  return { action_id, id: 'async_action_id' in answer || action_id !== undefined ? undefined : answer.id };
}

interface Requested {
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
function watchRequested(read: Read, requested: Requested): Watch {
  const { stack_id, id } = requested;
  let seen: readonly DeploymentRow[] = [];
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
