import type { Observer, Read, Sight, Watch } from '../contract/observe.ts';
import type { InputOf } from '../contract/operation.ts';
import type { RecordOf } from '../contract/record.ts';
import type { Acknowledgement } from '../contract/reply.ts';
import { type Deployment, deployments, type Redeploy } from '../resources/deployment.ts';
import { confirmedAction, isUnreadable, watchAction } from './action.ts';

type DeploymentRow = RecordOf<typeof Deployment>;
type Answer = RecordOf<typeof Redeploy>;
type Input = InputOf<typeof deployments.create>;
/** Ids of the newest deployments before the request; none of them is the one it starts. */
type Note = readonly number[];

/** More than anybody starts between two looks. */
const newest = 30;

export const redeployObserver: Observer<Input, Note, Answer> = {
  probable: true,
  note: async (read, { stack_id }) => (await newestOf(read, stack_id)).map(({ id }) => id),
  look: async (read, { stack_id }, note) => {
    const fresh = note && freshAmong(await newestOf(read, stack_id), note);
    if (fresh?.length !== 1 || !fresh[0]) return undefined;
    return { id: fresh[0].id, message: 'the answer was lost; this is the only new deployment', queued: true };
  },
  watch: (read, { stack_id }, { note, answer }) => watchRedeploy(read, { stack_id, note, answer }),
};

/** A cancelled deployment has ended when it says so; how it ended is what was asked for. */
export const cancelObserver: Observer<InputOf<typeof deployments.cancel>, undefined, Acknowledgement> = {
  watch: (read, { stack_id, deployment_id }, { answer }) => {
    const { look, ...watch } = watchDeployment(read, { stack_id, deployment_id });
    return {
      ...watch,
      look: async () => {
        const sight = await look();
        const value = { ...answer, deployment: sight.value };
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
    look: async () => sightOf(await read(deployments.get, place)),
  };
}

function sightOf(deployment: DeploymentRow): Sight {
  const { finished_at, is_deploying, outcome } = deployment;
  // A deployment that waits in line is not deploying yet, so only its end is an end.
  if (!finished_at) return { state: 'running', words: is_deploying ? 'deploying' : 'queued', value: deployment };
  const good = outcome?.meaning ? outcome.meaning === 'success' : outcome?.code === 1;
  const words = outcome?.meaning ?? `outcome ${outcome?.code ?? 'unknown'}`;
  return { state: good ? 'good' : 'failed', words, value: deployment };
}

interface Redeployed {
  readonly stack_id: string;
  readonly note: Note | undefined;
  readonly answer: Answer;
}

function watchRedeploy(read: Read, redeployed: Redeployed): Watch {
  const { stack_id, answer } = redeployed;
  const id = answer.async_action_id === undefined ? answer.id : undefined;
  let found: number | undefined;
  return {
    name: id === undefined ? 'the deployment' : `deployment ${id}`,
    resume: id === undefined ? `stackops deployment list -s ${stack_id}` : waitCommand(stack_id, id),
    look: async () => {
      found ??= await findDeployment(read, redeployed);
      if (found !== undefined) return watchDeployment(read, { stack_id, deployment_id: found }).look();
      return lookAtAction(read, redeployed);
    },
  };
}

/** `id` may be that of the deployment or of its action, `async_action_id` only the latter (beyond-the-document 1.3). */
async function findDeployment(read: Read, { stack_id, note, answer }: Redeployed): Promise<number | undefined> {
  const { id, async_action_id } = answer;
  const may = id !== undefined && async_action_id === undefined && id > lastOf(note ?? []);
  if (may && (await isDeployment(read, stack_id, id))) return id;
  if (!note) return undefined;
  // The oldest of the new ones is the one that was asked for first.
  return freshAmong(await newestOf(read, stack_id), note).at(-1)?.id;
}

async function isDeployment(read: Read, stack_id: string, deployment_id: number): Promise<boolean> {
  try {
    await read(deployments.get, { stack_id, deployment_id });
    return true;
  } catch (error) {
    if (isUnreadable(error)) return false;
    throw error;
  }
}

/** No deployment shows yet: its action may have failed before one began. */
async function lookAtAction(read: Read, { stack_id, answer }: Redeployed): Promise<Sight> {
  const queued: Sight = { state: 'running', words: 'queued', value: answer };
  const id = answer.async_action_id ?? answer.id;
  if (id === undefined || id === null) return queued;
  const sight = await watchAction(read, { stack_id, id }, confirmedAction({ id })).look();
  return sight.state === 'failed' ? sight : queued;
}

async function newestOf(read: Read, stack_id: string): Promise<readonly DeploymentRow[]> {
  const rows = await read(deployments.list, { stack_id }, { limit: newest });
  return [...rows].sort((one, other) => Number(other.id) - Number(one.id));
}

/** Newer than all that were there before, newest first. */
function freshAmong(rows: readonly DeploymentRow[], note: Note): readonly DeploymentRow[] {
  return rows.filter(({ id }) => id > lastOf(note));
}

function lastOf(note: Note): number {
  return Math.max(0, ...note);
}

function waitCommand(stack_id: string, id: number): string {
  return `stackops deployment wait ${id} -s ${stack_id}`;
}
