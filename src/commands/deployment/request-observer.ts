import { watchAction } from '../../changes/wait/action.ts';
import { type Observer, ProbableMatch, type Read, type Status, type Watch } from '../../contract/observe.ts';
import type { InputOf } from '../../contract/operation.ts';
import { checkForMs } from '../../kinds/perform/shown-by.ts';
import { unlessUnreadable } from '../../problems/unreadable.ts';
import { type Action, actionOf, actions, actionWith, referenceIn } from '../../resources/action.ts';
import {
  type DeploymentRow,
  deployments,
  newestFirst,
  type RedeployReply,
  recent,
} from '../../resources/deployment.ts';
import { deploymentStatus, waitCommand, watchDeployment } from './watch.ts';

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
  const found = await unlessUnreadable(read(actions.list, { stack_id, user_reference }, { limit: recent }));
  return (found ?? []).filter(({ id, metadata }) => id !== null && referenceIn(metadata) === user_reference);
}

function answerFrom({ id }: Action, deployment: DeploymentRow | undefined): RedeployReply {
  const message = `no response; action ${id} has its reference`;
  return { ...(deployment ? { id: deployment.id } : { async_action_id: id }), message, queued: true };
}

interface Requested {
  readonly stack_id: string;
  /** The ID of the deployment or of its action. */
  readonly id: number | undefined;
  readonly action_id: number | undefined;
  readonly known: readonly number[] | undefined;
  readonly answer: RedeployReply;
}

/** `id` may be the ID of the deployment or of its action. Where the action has its own field, `id` is not used. */
function idsOf(answer: RedeployReply): Pick<Requested, 'id' | 'action_id'> {
  const action_id = actionOf(answer)?.id ?? undefined;
  return { action_id, id: 'async_action_id' in answer || action_id !== undefined ? undefined : answer.id };
}

function watchRequested(read: Read, requested: Requested): Watch {
  const { stack_id, id } = requested;
  let found: number | undefined;
  return {
    name: id === undefined ? 'the deployment' : `deployment ${id}`,
    resume: id === undefined ? { path: 'deployment list', stack_id } : waitCommand(stack_id, id),
    check: async () => {
      const status = await statusByAction(read, requested);
      if (status) return status;
      found ??= await findDeployment(read, requested);
      if (found !== undefined) return watchDeployment(read, { stack_id, deployment_id: found }).check();
      return statusBeforeDeployment(read, requested);
    },
  };
}

/**
 * The action record shows when it has finished. A single new deployment adds details; of several, none is known to be ours.
 * Undefined where the response names no action, or its record cannot be read.
 */
async function statusByAction(read: Read, requested: Requested): Promise<Status | undefined> {
  const { stack_id, action_id } = requested;
  if (action_id === undefined) return undefined;
  const status = await statusOfAction(read, stack_id, action_id);
  if (status.state === 'unseen') return undefined;
  const only = await onlyNew(read, requested);
  if (!only || status.state === 'failed') return status;
  const deployment = deploymentStatus(only);
  return status.state === 'good' || deployment.state === 'running' ? deployment : status;
}

async function findDeployment(read: Read, requested: Requested): Promise<number | undefined> {
  const { stack_id, known, id } = requested;
  const mayBe = id !== undefined && id > lastOf(known ?? []);
  if (mayBe && (await unlessUnreadable(read(deployments.get, { stack_id, deployment_id: id })))) return id;
  // The oldest new deployment is the one requested first.
  return (await newAmong(read, requested)).at(-1)?.id;
}

/** No deployment is shown yet: the action may have failed before one started. */
async function statusBeforeDeployment(read: Read, { stack_id, answer, action_id, id }: Requested): Promise<Status> {
  const queued: Status = { state: 'running', text: 'queued', value: answer };
  const carrier = action_id ?? id;
  if (carrier === undefined) return queued;
  const status = await statusOfAction(read, stack_id, carrier);
  return status.state === 'failed' ? status : queued;
}

async function statusOfAction(read: Read, stack_id: string, id: number): Promise<Status> {
  return watchAction(read, { stack_id, id }, actionWith({ id })).check();
}

type Place = Pick<Requested, 'stack_id' | 'known'>;

async function onlyNew(read: Read, place: Place): Promise<DeploymentRow | undefined> {
  const [found, ...more] = await newAmong(read, place);
  return more.length === 0 ? found : undefined;
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
