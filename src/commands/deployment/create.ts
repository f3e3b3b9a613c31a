import { shortHash } from '../../contract/values/git-hash.ts';
import { write } from '../../kinds/write.ts';
import { unlessUnreadable } from '../../problems/unreadable.ts';
import { type DeploymentRow, deployments, recent } from '../../resources/deployment.ts';
import { deployedRecord, planDeployment, underWay } from './plan.ts';

export const deploymentCreate = write({
  about: deployments.create.about,
  params: deployments.create.params,
  examples: [
    'stackops deployment create -s shop -y',
    'stackops deployment create -s shop --git-ref main --user-reference ci-4711 -y',
    'stackops deployment create -s shop -y --wait --wait-timeout 20m',
  ],
  calls: [deployments.list, deployments.create],
  exits: [[8, 'with --wait: not finished within --wait-timeout; otherwise: no response, but it probably started']],
  record: deployedRecord,
  confirm: { level: 'yes', act: 'Deploy stack' },
  plan: async (context, request) => {
    const { stack_id, git_ref, services } = request;
    const known = await unlessUnreadable(context.call(deployments.list, { stack_id }, { limit: recent }));
    return planDeployment(context, {
      request,
      known,
      facts: (branch = 'its configured branch') => [
        `from ${git_ref ?? branch}`,
        ...(services ? [`only ${services}`] : []),
        ...situation(known ?? []),
      ],
    });
  },
});

/** What is live and since when, and the deployments in progress. */
function situation(known: readonly DeploymentRow[]): readonly string[] {
  const live = known.find(({ is_live }) => is_live);
  const since = live && (live.finished_at ?? live.started_at);
  const commit = live?.git_hash ? `commit ${shortHash(live.git_hash)}` : live && `deployment ${live.id}`;
  return [...(live ? [`live: ${commit} since ${since}`] : []), ...underWay(known)];
}
