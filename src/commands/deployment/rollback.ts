import { write } from '../../builders/write.ts';
import { flag, optional } from '../../contract/field.ts';
import { inStack } from '../../contract/params.ts';
import { isSameCommit, shortHash } from '../../contract/values/text.ts';
import { type CliError, refusal } from '../../errors/cli-error.ts';
import {
  type DeploymentRow,
  deploymentArgument,
  deployments,
  hasSucceeded,
  isOngoing,
  liveIn,
  outcomeOf,
  succeededBefore,
} from '../../resources/deployment.ts';
import { stacks } from '../../resources/stack.ts';
import { deploymentNamed } from './get.ts';
import { deployedRecord, planDeployment, refuseContainerStack } from './plan.ts';
import { planRestart } from './restart.ts';

const searchedDeployments = 100;

const { deployment_profile, user_reference } = deployments.create.params;

export const deploymentRollback = write({
  about: 'Redeploy the commit of an earlier deployment and wait.',
  params: {
    stack_id: inStack,
    deployment_id: optional({
      ...deploymentArgument,
      about: 'Target (default: the previous success with another commit), or `latest` or `live`.',
    }),
    deployment_profile,
    user_reference,
    detach: optional(flag('Do not wait for it to finish.')),
  },
  positionals: ['deployment_id'],
  examples: ['stackops deployment rollback -s shop', 'stackops deployment rollback 1040 -s shop -y --detach'],
  calls: [deployments.list, deployments.get, stacks.get, deployments.create],
  exits: [[8, 'not finished within --wait-timeout; with --detach: no response, but it probably started']],
  record: deployedRecord(),
  wait: 'always',
  confirm: { level: 'yes', act: 'Roll back stack' },
  plan: async (context, { deployment_id, detach = false, ...request }) => {
    if (deployment_id === 'live') return planRestart(context, request, !detach);
    const { stack_id } = request;
    const given =
      typeof deployment_id === 'number' ? await context.call(deployments.get, { stack_id, deployment_id }) : undefined;
    const [known] = await Promise.all([
      context.call(deployments.list, { stack_id }, { limit: searchedDeployments }),
      refuseContainerStack(context, stack_id, containerHint),
    ]);
    const chosen = deployment_id === 'latest' ? deploymentNamed('latest', known, stack_id) : given;
    const found = findRollback(stack_id, known, chosen);
    return planDeployment(context, {
      request: { ...request, git_ref: found.target.git_hash },
      seen: { deployments: known },
      alreadyLive: found.isLiveAlready ? found.live : undefined,
      wait: !detach,
      details: () => rangeOf(found),
      containerHint,
    });
  },
});

const containerHint = 'to roll back a container stack, deploy earlier image tags with stackops redeploy --services';

/** The chosen deployment, else the last one before the live one that succeeded with another commit; throws rejected. */
export function findRollback(stack_id: string, known: readonly DeploymentRow[], chosen: DeploymentRow | undefined) {
  const live = liveIn(known);
  const target = chosen ?? previousTo(live, known, stack_id);
  if (target.id !== live?.id && !hasSucceeded(target)) {
    const state = target.finished_at ? `did not succeed (${outcomeOf(target)})` : 'has not finished';
    throw rollbackRefusal(`cannot roll back to deployment ${target.id}: it ${state}`, stack_id);
  }
  if (!target.git_hash) {
    const fault = 'it shows no commit (container stacks have none)';
    throw rollbackRefusal(`cannot roll back to deployment ${target.id}: ${fault}`, stack_id);
  }
  const isLive = live !== undefined && (live.id === target.id || isSameCommit(live.git_hash, target.git_hash));
  // Another deployment in progress will replace the live one.
  return { live, target, isLiveAlready: isLive && !known.some(isOngoing) };
}

/** `commit d8b847d -> e5e13e8`, and the link that compares them where it is known. */
export function rangeOf({ live, target }: Pick<ReturnType<typeof findRollback>, 'live' | 'target'>): readonly string[] {
  const [from, to] = [live?.git_hash, target.git_hash];
  const range = `commit ${shortHash(from)} -> ${shortHash(to)} of deployment ${target.id}`;
  const comparison = live && comparisonOf(live, target);
  return comparison ? [range, comparison] : [range];
}

/** The link that compares two commits, for GitHub, and for GitLab, known by `/-/` in its URLs. */
export function comparisonOf(newer: DeploymentRow, older: DeploymentRow): string | undefined {
  const pattern = /^(https:\/\/(?:github\.com\/[^/?#]+\/[^/?#]+|[^/?#]+\/[^?#]+\/-))\/commit\/([0-9a-f]{40})$/;
  const [, base, from] = pattern.exec(newer.commit_url ?? '') ?? [];
  const [, same, to] = pattern.exec(older.commit_url ?? '') ?? [];
  const isTrue = base !== undefined && base === same && from === newer.git_hash && to === older.git_hash;
  return isTrue ? `${base}/compare/${to}...${from}` : undefined;
}

function previousTo(live: DeploymentRow | undefined, known: readonly DeploymentRow[], stack_id: string): DeploymentRow {
  if (!live) throw rollbackRefusal('no deployment is shown as live, so the target must be given by its ID', stack_id);
  const earlier = succeededBefore(known, live).filter(({ reverted }) => reverted !== true);
  const found =
    earlier.find(({ git_hash }) => git_hash && !isSameCommit(git_hash, live.git_hash)) ??
    earlier.find(({ git_hash }) => !git_hash);
  if (found) return found;
  const reason = `no deployment before ${live.id ?? 'the live one'} succeeded with another commit (searched the newest ${known.length})`;
  throw rollbackRefusal(reason, stack_id);
}

function rollbackRefusal(reason: string, stack_id: string): CliError {
  return refusal(reason, { path: 'deployment list', stack_id });
}
