import { shortHash } from '../../contract/values/git-hash.ts';
import { write } from '../../kinds/write.ts';
import { unlessUnreadable } from '../../problems/unreadable.ts';
import { type DeploymentRow, deployments, recent } from '../../resources/deployment.ts';
import { ifBusyField, refusedAsBusy, skippedPlan, waitForOthers } from './if-busy.ts';
import { deployedRecord, planDeployment, underWay } from './plan.ts';

export const deploymentCreate = write({
  about: deployments.create.about,
  params: { ...deployments.create.params, if_busy: ifBusyField },
  examples: [
    'stackops deployment create -s shop -y',
    'stackops deployment create -s shop --git-ref main --user-reference ci-4711 -y',
    'stackops deployment create -s shop -y --if-busy wait --wait --wait-timeout 20m',
  ],
  calls: [deployments.list, deployments.create],
  exits: [[8, 'with --wait: not finished within --wait-timeout; otherwise: no response, but it probably started']],
  record: deployedRecord,
  confirm: { level: 'yes', act: 'Deploy stack' },
  plan: async (context, { if_busy, ...request }) => {
    const { stack_id, git_ref, services } = request;
    const reading = context.call(deployments.list, { stack_id }, { limit: recent });
    // Whether the stack is busy must be known before anything depends on it.
    const known = await (if_busy ? reading : unlessUnreadable(reading));
    const busy = underWay(known ?? []);
    if (busy.length > 0 && if_busy === 'fail') throw refusedAsBusy(busy, stack_id);
    if (busy.length > 0 && if_busy === 'skip') return skippedPlan(busy);
    return planDeployment(context, {
      request,
      known,
      ...(if_busy === 'wait' && { whenFree: () => waitForOthers(context, stack_id) }),
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
