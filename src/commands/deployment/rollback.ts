import { write } from '../../builders/write.ts';
import { flag, optional } from '../../contract/field.ts';
import { stackParam } from '../../contract/params.ts';
import { isSameCommit, shortHash } from '../../contract/values/text.ts';
import { type CliError, refusedChangeError } from '../../errors/cli-error.ts';
import {
  type DeploymentRow,
  deploymentArgument,
  deployments,
  hasSucceeded,
  isUnfinished,
  liveDeploymentIn,
  outcomeOf,
  successesBefore,
} from '../../resources/deployment.ts';
import { stacks } from '../../resources/stack.ts';
import { findLatestOrLive } from './get.ts';
import { deployChangeRecord, planDeployment, refuseContainerStack } from './plan.ts';
import { planRestart } from './restart.ts';
import { compareUrls } from './summary.ts';

const searchLimit = 100;

const { deployment_profile, user_reference } = deployments.create.params;

export const deploymentRollback = write({
  about: 'Redeploy the commit of an earlier deployment and wait.',
  params: {
    stack_id: stackParam,
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
  record: deployChangeRecord(),
  wait: 'always',
  confirm: { level: 'yes', act: 'Roll back stack' },
  plan: async (context, { deployment_id, detach = false, ...request }) => {
    if (deployment_id === 'live') return planRestart(context, request, !detach);
    const { stack_id } = request;
    const deploymentById =
      typeof deployment_id === 'number' ? await context.call(deployments.get, { stack_id, deployment_id }) : undefined;
    const [rows] = await Promise.all([
      context.call(deployments.list, { stack_id }, { limit: searchLimit }),
      refuseContainerStack(context, stack_id, containerHint),
    ]);
    const chosen = deployment_id === 'latest' ? findLatestOrLive('latest', rows, stack_id) : deploymentById;
    const rollback = findRollback(stack_id, rows, chosen);
    return planDeployment(context, {
      request: { ...request, git_ref: rollback.target.git_hash },
      busySigns: { deployments: rows },
      alreadyLive: rollback.isLiveAlready ? rollback.live : undefined,
      wait: !detach,
      details: () => rangeTexts(rollback),
      containerHint,
    });
  },
});

const containerHint = 'to roll back a container stack, deploy earlier image tags with stackops redeploy --services';

/**
 * Finds the deployment to roll back to: `chosen`, else, of the deployments before the live one, the last that succeeded
 * with another commit. Throws `rejected` if there is none or it cannot be deployed again.
 */
export function findRollback(stack_id: string, rows: readonly DeploymentRow[], chosen: DeploymentRow | undefined) {
  const live = liveDeploymentIn(rows);
  const target = chosen ?? findEarlier(live, rows, stack_id);
  const refusal = (why: string) => rollbackError(`cannot roll back to deployment ${target.id}: it ${why}`, stack_id);
  if (target.id !== live?.id && !hasSucceeded(target)) {
    throw refusal(target.finished_at ? `did not succeed (${outcomeOf(target)})` : 'has not finished');
  }
  if (!target.git_hash) throw refusal('shows no commit (container stacks have none)');
  const isTargetLive = live !== undefined && (live.id === target.id || isSameCommit(live.git_hash, target.git_hash));
  // A deployment in progress will replace the live one, so the target must be deployed again.
  return { live, target, isLiveAlready: isTargetLive && !rows.some(isUnfinished) };
}

/** Returns `commit d8b847d -> e5e13e8 of deployment 1040` and, if it is known, a link that compares the commits. */
export function rangeTexts({ live, target }: { live: DeploymentRow | undefined; target: DeploymentRow }) {
  const range = `commit ${shortHash(live?.git_hash)} -> ${shortHash(target.git_hash)} of deployment ${target.id}`;
  return [range, ...compareUrls(live, target)];
}

function findEarlier(live: DeploymentRow | undefined, rows: readonly DeploymentRow[], stack_id: string): DeploymentRow {
  if (!live) throw rollbackError('no deployment is shown as live, so the target must be given by its ID', stack_id);
  const candidates = successesBefore(rows, live).filter(({ reverted }) => reverted !== true);
  const previous =
    candidates.find(({ git_hash }) => git_hash && !isSameCommit(git_hash, live.git_hash)) ??
    candidates.find(({ git_hash }) => !git_hash);
  if (previous) return previous;
  const reason = `no deployment before ${live.id ?? 'the live one'} succeeded with another commit (searched the newest ${rows.length})`;
  throw rollbackError(reason, stack_id);
}

function rollbackError(reason: string, stack_id: string): CliError {
  return refusedChangeError(reason, { path: 'deployment list', stack_id });
}
