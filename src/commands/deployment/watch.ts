import type { Context } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import type { Read, Status, Watch } from '../../contract/observe.ts';
import { shortHash } from '../../contract/values/git-hash.ts';
import { msOf } from '../../contract/values/time.ts';
import { CliError } from '../../errors/cli-error.ts';
import { type Action, actions, hasEnded, isDone } from '../../resources/action.ts';
import {
  type DeploymentRow,
  deployments,
  hasSucceeded,
  isDeployment,
  newestFirst,
  outcomeOf,
  recent,
} from '../../resources/deployment.ts';
import { endedText } from './summary.ts';

/** Watches a deployment until `finished_at` is set; good is the outcome success, by its meaning before its code. */
export function watchDeployment(
  read: Read,
  place: { readonly stack_id: string; readonly deployment_id: number },
): Watch {
  const { stack_id, deployment_id } = place;
  return {
    name: `deployment ${deployment_id}`,
    resume: waitCommand(stack_id, deployment_id),
    check: async () => deploymentStatus(refuseOther(await read(deployments.get, place), deployment_id)),
  };
}

/** Another deployment says nothing about the one that was asked for; throws unavailable. */
export function refuseOther(deployment: DeploymentRow, id: number): DeploymentRow {
  if (String(deployment.id) === String(id)) return deployment;
  const other = deployment.id == null ? 'a deployment without id' : `deployment ${deployment.id}`;
  throw new CliError('unavailable', `the service answered with ${other}, not ${id}`);
}

/** Watches the newest deployment of a commit, once there is one. A later one of the same commit is not followed. */
export function watchCommit(read: Read, stack_id: string, commit: string): Watch {
  let found: number | undefined;
  return {
    name: `deployment of commit ${shortHash(commit)}`,
    resume: { path: 'deployment wait', flags: ['--commit', commit], stack_id },
    exists: () => found !== undefined,
    check: async () => {
      if (found !== undefined) return watchDeployment(read, { stack_id, deployment_id: found }).check();
      const listed = await read(deployments.list, { stack_id }, { limit: recent });
      const [newest] = newestFirst(listed.filter(({ git_hash }) => git_hash?.toLowerCase().startsWith(commit)));
      found = newest?.id;
      return newest ? deploymentStatus(newest) : { state: 'running', text: 'not found yet', value: undefined };
    },
  };
}

/** The same watch, which ends well only when the deployment is live, or a newer one is live in its place. */
export function untilLive(read: Read, stack_id: string, { check, resume, ...watch }: Watch): Watch {
  return {
    ...watch,
    resume: resume && { ...resume, flags: [...(resume.flags ?? []), '--live'] },
    check: async () => {
      const status = await check();
      if (status.state !== 'good' || !isDeployment(status.value) || status.value.is_live) return status;
      const { id } = status.value;
      const listed = await read(deployments.list, { stack_id }, { limit: recent });
      const isReplaced = listed.some((one) => one.is_live && Number(one.id) > Number(id));
      return isReplaced ? status : { ...status, state: 'running', text: 'success, not live yet' };
    },
  };
}

/** How far a deployment is; only `finished_at` ends it. */
export function deploymentStatus(deployment: DeploymentRow): Status {
  // A deployment that waits in line is not deploying yet, so only its end is an end.
  if (!deployment.finished_at) {
    return { state: 'running', text: deployment.is_deploying ? 'deploying' : 'queued', value: deployment };
  }
  return { state: hasSucceeded(deployment) ? 'good' : 'failed', text: outcomeOf(deployment), value: deployment };
}

export function waitCommand(stack_id: string, id: number): CommandLine {
  return { path: 'deployment wait', operands: [String(id)], stack_id };
}

/** Between the end of a deployment and that of its action. */
const apartMs = 60_000;

/** Runs a wait for a deployment. One that ended badly is told with its cause, what is live, and the command that shows more. */
export async function withCause<Value>(context: Context, stack_id: string, wait: () => Promise<Value>): Promise<Value> {
  try {
    return await wait();
  } catch (error) {
    if (!(error instanceof CliError) || error.kind !== 'operation_failed') throw error;
    const seen = error.details.partial?.value;
    if (!isDeployment(seen)) throw error;
    const hint = { path: 'deployment get', operands: [String(seen.id)], stack_id };
    throw new CliError(error.kind, await failureText(context, stack_id, seen), { ...error.details, hint });
  }
}

async function failureText(context: Context, stack_id: string, deployment: DeploymentRow): Promise<string> {
  // What cannot be read is left out.
  const [acted, known] = await Promise.all([
    context.call(actions.list, { stack_id }, { limit: recent }).catch(() => []),
    context.call(deployments.list, { stack_id }, { limit: recent }).catch(() => []),
  ]);
  const message = acted.find((action) => isOf(deployment, action))?.finished_message;
  const cause = message && context.quote(message).replace(/[.\s]*$/, '.');
  const live = known.find(({ is_live }) => is_live);
  const still = live && live.id < deployment.id ? 'Live is still' : 'Live is';
  const ended = `${endedText(deployment)}${cause ? `: ${cause}` : ''}`;
  return live ? `${ended}${cause ? '' : '.'} ${still} ${live.id}.` : ended;
}

function isOf({ finished_at }: DeploymentRow, action: Action): boolean {
  const kind = action.action ?? action.action_type ?? '';
  // No record names the deployment of an action, but both end together.
  const isNear = Math.abs(msOf(action.finished_at) - msOf(finished_at)) <= apartMs;
  return /deploy/i.test(kind) && hasEnded(action) && !isDone(action) && isNear;
}
