import { watchFrom } from '../../changes/wait/watch-from.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import type { Read, Status, Watch } from '../../contract/observe.ts';
import { script } from '../../kinds/script.ts';
import { type DeploymentRow, deployments, hasSucceeded, isDeployment, outcomeOf } from '../../resources/deployment.ts';
import { deploymentLine } from './summary.ts';

export const wait = script({
  about: 'Wait until a deployment has ended.',
  params: deployments.get.params,
  positionals: ['deployment_id'],
  examples: [
    'stackops deployment wait 1042 -s shop',
    'stackops deployment wait 1042 -s shop --wait-timeout 20m --json',
  ],
  calls: [deployments.get],
  output: { kind: 'change', reply: deployments.get.reply },
  wait: 'always',
  run: async (context, place) => {
    // A mistyped id is an error before anything is watched.
    const deployment = await context.call(deployments.get, place);
    const watch = watchDeployment((operation, input, more) => context.call(operation, input, more), place);
    const ended = await context.follow(watchFrom(deploymentStatus(deployment), watch));
    return isDeployment(ended) ? ended : deployment;
  },
  present: (deployment) => ({ kind: 'done', lines: [deploymentLine(deployment)] }),
});

/** Watches a deployment until `finished_at` is set; good is the outcome success, by its meaning before its code. */
export function watchDeployment(
  read: Read,
  place: { readonly stack_id: string; readonly deployment_id: number },
): Watch {
  const { stack_id, deployment_id } = place;
  return {
    name: `deployment ${deployment_id}`,
    resume: waitCommand(stack_id, deployment_id),
    check: async () => deploymentStatus(await read(deployments.get, place)),
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
