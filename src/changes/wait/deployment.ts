import type { CommandLine } from '../../contract/command-line.ts';
import { Likely, type Observer, type Read, type Sight, type Watch } from '../../contract/observe.ts';
import type { InputOf } from '../../contract/operation.ts';
import type { RecordOf } from '../../contract/record.ts';
import type { Acknowledgement } from '../../contract/reply.ts';
import { unlessUnreadable } from '../../problems/unreadable.ts';
import { type Action, actionOf, actions, actionWith } from '../../resources/action.ts';
import { type DeploymentRow, deployments, hasSucceeded, type Redeploy } from '../../resources/deployment.ts';
import { patienceMs, watchAction } from './action.ts';

type Answer = RecordOf<typeof Redeploy>;
type Input = InputOf<typeof deployments.create>;
/** What was there before the request: none of it is what the request starts. */
interface Note {
  /** Ids of the newest deployments. */
  readonly deployments: readonly number[];
  /** Ids of the actions with the same reference. */
  readonly actions: readonly number[];
}

/** More than anybody starts between two looks. */
const newest = 30;

/** Its reference settles it where the service shows references; else the only new deployment probably is the one. */
export const redeployObserver: Observer<Input, Note, Answer> = {
  patienceMs,
  note: async (read, input) => ({
    deployments: (await newestOf(read, input.stack_id)).map(({ id }) => id),
    actions: isForOneRun(input) ? [] : (await referencedBy(read, input)).map(({ id }) => Number(id)),
  }),
  look: async (read, input, note) => {
    const fresh = note ? freshAmong(await newestOf(read, input.stack_id), note.deployments) : [];
    const only = fresh.length === 1 ? fresh[0] : undefined;
    const before = note?.actions ?? (isForOneRun(input) ? [] : undefined);
    const action = before && (await referencedBy(read, input)).find(({ id }) => !before.includes(Number(id)));
    if (action) return answerFrom(action, only);
    if (!only) return undefined;
    return new Likely({ id: only.id, message: 'the answer was lost; this is the only new deployment', queued: true });
  },
  watchesActions: true,
  watch: (read, { stack_id }, { note, answer }) =>
    watchRedeploy(read, { stack_id, note: note?.deployments, ...namesOf(answer), answer }),
};

/** An operator may use a reference twice; one that was made up for this run names nothing else. */
function isForOneRun({ user_reference }: Input): boolean {
  return user_reference === undefined || /^stackops-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(user_reference);
}

/** Actions that show the reference themselves, since a service may ignore the filter; none where it offers no actions. */
async function referencedBy(read: Read, { stack_id, user_reference }: Input): Promise<readonly Action[]> {
  if (user_reference === undefined) return [];
  const found = await unlessUnreadable(read(actions.list, { stack_id, user_reference }, { limit: newest }));
  return (found ?? []).filter(({ id, metadata }) => id !== null && referenceIn(metadata) === user_reference);
}

function referenceIn(metadata: unknown): unknown {
  return typeof metadata === 'object' && metadata !== null && 'user_reference' in metadata
    ? metadata.user_reference
    : undefined;
}

function answerFrom({ id }: Action, deployment: DeploymentRow | undefined): Answer {
  const message = `the answer was lost; action ${id} carries its reference`;
  return { ...(deployment ? { id: deployment.id } : { async_action_id: id }), message, queued: true };
}

/** A cancelled deployment has ended when it says so; one that succeeded all the same was not cancelled. */
export const cancelObserver: Observer<InputOf<typeof deployments.cancel>, undefined, Acknowledgement> = {
  watch: (read, { stack_id, deployment_id }, { answer }) => {
    const { look, ...watch } = watchDeployment(read, { stack_id, deployment_id });
    return {
      ...watch,
      name: `the cancellation of deployment ${deployment_id}`,
      look: async () => {
        const sight = await look();
        const value = { ...answer, deployment: sight.value };
        if (sight.state === 'good') return { state: 'failed', words: 'it had succeeded already', value };
        return { ...sight, value, state: sight.state === 'failed' ? 'good' : sight.state };
      },
    };
  },
};

/** Watches a deployment until `finished_at` is set; good is the outcome success, by its meaning before its code. */
export function watchDeployment(
  read: Read,
  place: { readonly stack_id: string; readonly deployment_id: number },
): Watch {
  const { stack_id, deployment_id } = place;
  return {
    name: `deployment ${deployment_id}`,
    resume: waitCommand(stack_id, deployment_id),
    look: async () => deploymentSight(await read(deployments.get, place)),
  };
}

/** How far a deployment is; only `finished_at` ends it. */
export function deploymentSight(deployment: DeploymentRow): Sight {
  const { finished_at, is_deploying, outcome } = deployment;
  // A deployment that waits in line is not deploying yet, so only its end is an end.
  if (!finished_at) return { state: 'running', words: is_deploying ? 'deploying' : 'queued', value: deployment };
  const good = hasSucceeded(deployment);
  const words = outcome?.meaning ?? `outcome ${outcome?.code ?? 'unknown'}`;
  return { state: good ? 'good' : 'failed', words, value: deployment };
}

/** `id` may be that of the deployment or of its action; where the action has a name of its own, it is neither (beyond-the-document 1.3). */
function namesOf(answer: Answer): Pick<Redeployed, 'id' | 'action_id'> {
  const action_id = actionOf(answer)?.id ?? undefined;
  return { action_id, id: 'async_action_id' in answer || action_id !== undefined ? undefined : answer.id };
}

interface Redeployed {
  readonly stack_id: string;
  /** That of the deployment, or of its action. */
  readonly id: number | undefined;
  readonly action_id: number | undefined;
  /** Ids of the newest deployments before the request. */
  readonly note: readonly number[] | undefined;
  readonly answer: Answer;
}

function watchRedeploy(read: Read, redeployed: Redeployed): Watch {
  const { stack_id, id } = redeployed;
  let found: number | undefined;
  return {
    name: id === undefined ? 'the deployment' : `deployment ${id}`,
    resume: id === undefined ? { path: 'deployment list', stack_id } : waitCommand(stack_id, id),
    look: async () => {
      const sight = await lookByAction(read, redeployed);
      if (sight) return sight;
      found ??= await findDeployment(read, redeployed);
      if (found !== undefined) return watchDeployment(read, { stack_id, deployment_id: found }).look();
      return lookAtAction(read, redeployed);
    },
  };
}

/**
 * The record of the action tells the end, and the only new deployment more about it: of several none is known to be ours.
 * Undefined where the answer names no action, or its record cannot be read.
 */
async function lookByAction(read: Read, { stack_id, note, action_id: id }: Redeployed): Promise<Sight | undefined> {
  if (id === undefined) return undefined;
  const sight = await watchAction(read, { stack_id, id }, actionWith({ id })).look();
  if (sight.state === 'unseen') return undefined;
  const fresh = note ? freshAmong(await newestOf(read, stack_id), note) : [];
  const only = fresh.length === 1 ? fresh[0] : undefined;
  if (!only || sight.state === 'failed') return sight;
  const deployment = deploymentSight(only);
  return sight.state === 'good' || deployment.state === 'running' ? deployment : sight;
}

async function findDeployment(read: Read, { stack_id, note, id }: Redeployed): Promise<number | undefined> {
  const may = id !== undefined && id > lastOf(note ?? []);
  if (may && (await isDeployment(read, stack_id, id))) return id;
  if (!note) return undefined;
  // The oldest of the new ones is the one that was asked for first.
  return freshAmong(await newestOf(read, stack_id), note).at(-1)?.id;
}

async function isDeployment(read: Read, stack_id: string, deployment_id: number): Promise<boolean> {
  return (await unlessUnreadable(read(deployments.get, { stack_id, deployment_id }))) !== undefined;
}

/** No deployment shows yet: its action may have failed before one began. */
async function lookAtAction(read: Read, { stack_id, answer, ...names }: Redeployed): Promise<Sight> {
  const queued: Sight = { state: 'running', words: 'queued', value: answer };
  const id = names.action_id ?? names.id;
  if (id === undefined) return queued;
  const sight = await watchAction(read, { stack_id, id }, actionWith({ id })).look();
  return sight.state === 'failed' ? sight : queued;
}

async function newestOf(read: Read, stack_id: string): Promise<readonly DeploymentRow[]> {
  const rows = await read(deployments.list, { stack_id }, { limit: newest });
  return [...rows].sort((one, other) => Number(other.id) - Number(one.id));
}

/** Newer than all that were there before, newest first. */
function freshAmong(rows: readonly DeploymentRow[], note: readonly number[]): readonly DeploymentRow[] {
  return rows.filter(({ id }) => id > lastOf(note));
}

function lastOf(note: readonly number[]): number {
  return Math.max(0, ...note);
}

function waitCommand(stack_id: string, id: number): CommandLine {
  return { path: 'deployment wait', operands: [String(id)], stack_id };
}
