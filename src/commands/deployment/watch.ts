import type { CommandLine } from '../../contract/command-line.ts';
import type { Read, Status, Watch } from '../../contract/observe.ts';
import { shortHash } from '../../contract/values/git-hash.ts';
import { Problem } from '../../problems/problem.ts';
import {
  type DeploymentRow,
  deployments,
  hasSucceeded,
  isDeployment,
  newestFirst,
  outcomeOf,
  recent,
} from '../../resources/deployment.ts';

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
  throw new Problem('unavailable', `the service answered with deployment ${deployment.id}, not ${id}`);
}

/** Watches the newest deployment of a commit, once there is one. A later one of the same commit is not followed. */
export function watchCommit(
  read: Read,
  { stack_id, commit }: { readonly stack_id: string; readonly commit: string },
): Watch {
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
  return {
    state: hasSucceeded(deployment) ? 'good' : 'failed',
    text: outcomeOf(deployment),
    value: deployment,
  };
}

export function waitCommand(stack_id: string, id: number): CommandLine {
  return { path: 'deployment wait', operands: [String(id)], stack_id };
}
